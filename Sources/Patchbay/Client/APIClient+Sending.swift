import Foundation
public import HTTPMessages
import RequestModel
import ResponseDecoding
public import Transport

extension APIClient {
    /// Makes a call and decodes the response.
    ///
    /// `Data` gets the bytes as they are. `String` gets the text, unless the media type is that of a format, such as
    /// JSON. Everything else is decoded by the format of the media type; without one, and for unknown ones, by
    /// ``json``. An optional value is nil for an empty body. The caller's actor decodes, so the value may belong to it.
    /// - Parameter observer: receives progress events until this call returns.
    /// - Throws: ``ServerError``, or what ``errors`` makes, for a status that is not accepted; `ResponseDecodingError`
    ///   for a body that does not fit; `HTTPMessageError` for an invalid request, before anything is sent;
    ///   `TransportError` and the errors of layers.
    public func send<Value: Decodable>(
        _ endpoint: EndpointRequest<Value>, observer: (any TransferObserver)? = nil
    ) async throws -> Value {
        let request = try request(for: endpoint, accept: accepted(for: Value.self))
        return try decode(Value.self, from: await accepted(request, observer: observer))
    }

    /// Makes a call and decodes the response; the value comes with the head.
    /// - Throws: as `send(_:observer:)`.
    public func response<Value: Decodable>(
        to endpoint: EndpointRequest<Value>, observer: (any TransferObserver)? = nil
    ) async throws -> Response<Value> {
        let request = try request(for: endpoint, accept: accepted(for: Value.self))
        return try await response(to: request, as: Value.self, observer: observer)
    }

    /// Makes a call; the response has the bytes of the body.
    /// - Throws: as ``send(_:observer:)``, without decoding.
    @discardableResult
    public func send(
        _ endpoint: EndpointRequest<HTTPResponse>, observer: (any TransferObserver)? = nil
    ) async throws -> HTTPResponse {
        try await accepted(request(for: endpoint, accept: nil), observer: observer)
    }

    /// Makes a call and ignores the body of the response.
    /// - Throws: as ``send(_:observer:)``, without decoding.
    @_disfavoredOverload
    public func send(_ endpoint: EndpointRequest<Void>, observer: (any TransferObserver)? = nil) async throws {
        _ = try await accepted(request(for: endpoint, accept: nil), observer: observer)
    }

    /// The request of a call, as it is handed to the transport.
    /// - Throws: `HTTPMessageError`.
    public func request<Value>(for endpoint: EndpointRequest<Value>) throws(HTTPMessageError) -> HTTPRequest {
        try request(for: endpoint, accept: nil)
    }

    /// The request of a call without a type of its result, such as for an outbox.
    ///
    /// ```swift
    /// try outbox.add(client.request(for: .put("orders/1", json: order)), key: order.id, as: "save order")
    /// ```
    /// - Throws: `HTTPMessageError`.
    public func request(for endpoint: EndpointRequest<HTTPResponse>) throws(HTTPMessageError) -> HTTPRequest {
        try request(for: endpoint, accept: nil)
    }
}

extension APIClient {
    /// - Parameter accept: the field `Accept`, unless the call or the client has one.
    func request<Value>(
        for endpoint: EndpointRequest<Value>, accept: HTTPFields.Field?
    ) throws(HTTPMessageError) -> HTTPRequest {
        let call = RequestData(
            fields: endpoint.fields, query: endpoint.query, body: try endpoint.body.encoded(by: json))
        let path = try endpoint.path.text()
        var base = defaults
        // Parameters in the path are those of the call too.
        if mergeRule.query == .mergeByName, !base.query.isEmpty, let query = URLReference(path[...]).query {
            for parameter in Query(parsing: query) { base.query.remove(parameter.name) }
        }
        var data = mergeRule.merge(base, call)
        if let accept, !data.fields.contains(.accept) { data.fields.append(accept) }
        if let timeout = endpoint.timeout { data.options?.timeouts.total = timeout }
        // Without the path of the base URL, which may have a secret or the ID of a tenant.
        data.options?.urlTemplate = "/" + endpoint.path.template.drop { $0 == "/" }
        return try data.request(endpoint.method, baseURL.appending(path))
    }

    /// Sends a request and decodes the response.
    func response<Value: Decodable>(
        to request: HTTPRequest, as type: Value.Type, observer: (any TransferObserver)?
    ) async throws -> Response<Value> {
        let response = try await accepted(request, observer: observer)
        return Response(try decode(type, from: response), head: response.head)
    }

    /// Makes a call that belongs to the user of a number of sign-outs.
    func send<Value: Decodable>(_ endpoint: EndpointRequest<Value>, after lastSignOut: Int) async throws -> Value {
        let accept = try accepted(for: Value.self)
        return try decode(Value.self, from: await accepted(endpoint, accept: accept, after: lastSignOut))
    }

    /// The response of a call that belongs to the user of a number of sign-outs.
    func accepted<Value>(
        _ endpoint: EndpointRequest<Value>, accept: HTTPFields.Field?, after lastSignOut: Int
    ) async throws -> HTTPResponse {
        var request = try request(for: endpoint, accept: accept)
        request.options.call = OpenCall(lastSignOut: lastSignOut)
        return try await accepted(request, observer: nil)
    }

    /// Sends a request, and throws the error of a status or media type that is not accepted.
    private func accepted(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let response = try await transport.send(request, observer: observer)
        guard validation.statuses.contains(response.status.code) else {
            throw error(of: request, response.head, response.body)
        }
        try validation.validate(response)
        return response
    }
}

extension APIClient {
    /// The error of a status that is not accepted.
    func error(of request: HTTPRequest, _ head: HTTPResponseHead, _ body: Data) -> any Error {
        var head = head
        // What the server did not like is known here only.
        switch head.status.code {
        case 406: head.notes.append("accepted were \(request.fields[.accept] ?? "all media types")")
        case 415: head.notes.append("the body was \(request.fields[.contentType] ?? "without a Content-Type")")
        default: break
        }
        return errors.error(of: HTTPResponse(head: head, body: body.prefix(max(0, maximumErrorBytes))))
    }
}

// MARK: Formats

extension APIClient {
    private static let acceptsText = try? HTTPFields.Field(.accept, "text/plain, */*;q=0.5")
    private static let acceptsJSON = try? HTTPFields.Field(.accept, "application/json")

    /// The field `Accept`: the media types of the formats, the first one preferred; nil for raw bytes.
    func accepted(for type: Any.Type) throws(HTTPMessageError) -> HTTPFields.Field? {
        let type = (type as? any OptionalValue.Type)?.wrapped ?? type
        if type == Data.self { return nil }
        if type == String.self { return Self.acceptsText }
        if formats.isEmpty { return Self.acceptsJSON }
        let types = ([json] + formats).flatMap(\.mediaTypes)
        let texts = types.enumerated().map { index, type in
            index == 0 ? type.essence : "\(type.essence);q=0.\(max(1, 10 - index))"
        }
        return try HTTPFields.Field(.accept, texts.joined(separator: ", "))
    }

    private func decode<Value: Decodable>(_ type: Value.Type, from response: HTTPResponse) throws -> Value {
        let optional = type as? any OptionalValue.Type
        if let optional, response.body.isEmpty, let none = optional.none as? Value { return none }
        let wrapped: Any.Type = optional?.wrapped ?? type
        if wrapped == Data.self, let data = response.body as? Value { return data }
        // Almost always JSON is the only format, for any media type.
        if formats.isEmpty, wrapped != String.self { return try json.decode(type, from: response) }
        let mediaType = response.mediaType
        let format = mediaType.flatMap { mediaType in formats.first { $0.accepts(mediaType) } }
        if let format { return try format.decode(type, from: response) }
        if wrapped == String.self, !(mediaType.map(json.accepts) ?? false),
            let text = try TextResponseDecoder().decode(response) as? Value
        {
            return text
        }
        return try json.decode(type, from: response)
    }
}

/// `Optional` of any type.
private protocol OptionalValue {
    static var wrapped: Any.Type { get }
    static var none: Self { get }
}

extension Optional: OptionalValue {
    static var wrapped: Any.Type { Wrapped.self }
}
