import Foundation
public import HTTPMessages
import RequestModel
import ResponseDecoding

/// Requests of a Foresight Mobile Platform server.
///
/// | request | |
/// |---|---|
/// | sign-in | `POST <host>/api/<version>/auth/`, `Authorization: Basic`, body `{"environment", "project"}` |
/// | schema | `GET <host>/api/<version>/schema` |
/// | resource | `POST <host>/api/<version>/rpc/<resource>/`, with `X-Delta`, `X-Transaction-ID` and `If-None-Match` |
/// | transactions | `GET <host>/api/<version>/transactions/?resource=<resource>` |
/// | transaction | `GET` or `DELETE <host>/api/<version>/transactions/<id>/` |
///
/// All have `X-Device-Id`; all but the sign-in have `Authorization: Bearer`.
public struct FMPWire: HyperHiveWire {
    static let deviceField = "X-Device-Id"

    /// True to percent-decode login and password, for apps that encode them; default false.
    public var decodesCredentials: Bool

    /// Creates a wire.
    public init(decodesCredentials: Bool = false) { self.decodesCredentials = decodesCredentials }

    /// Makes the request with Basic authentication (RFC 7617) in UTF-8.
    /// - Throws: `HTTPMessageError` (`invalidFieldValue`) for a login with a colon, and for invalid percent-encoding.
    public func signInRequest(
        login: String, password: String, _ configuration: HyperHiveConfiguration
    ) throws -> HTTPRequest {
        let (login, password) = (try credential(login, "login"), try credential(password, "password"))
        guard !login.utf8.contains(UInt8(ascii: ":")) else {
            throw HTTPMessageError(
                .invalidFieldValue, "The login contains a colon, which Basic authentication cannot send; use another.")
        }
        let body = JSONValue.object([
            "environment": .string(configuration.environment), "project": .string(configuration.project),
        ])
        var request = try request(.post, ["auth", ""], body: .bytes(try body.data()), token: nil, configuration)
        try request.fields.set(
            .authorization, to: "Basic " + Data("\(login):\(password)".utf8).base64EncodedString())
        return request
    }

    private func credential(_ text: String, _ name: String) throws(HTTPMessageError) -> String {
        guard decodesCredentials else { return text }
        guard let decoded = text.removingPercentEncoding else {
            throw HTTPMessageError(
                .invalidFieldValue,
                "The \(name) is not percent-encoded; encode it, or create the wire without `decodesCredentials`.")
        }
        return decoded
    }

    /// Returns the member `token` of the body.
    public func token(in response: HTTPResponse) -> String? {
        guard let body = try? JSONValue(parsing: response.jsonBody), let token = body["token"]?.string else {
            return nil
        }
        return token.isEmpty ? nil : token
    }

    /// Makes the request for the schema.
    public func schemaRequest(token: String?, _ configuration: HyperHiveConfiguration) throws -> HTTPRequest {
        try request(.get, ["schema"], token: token, configuration)
    }

    /// Makes the request of a resource.
    public func resourceRequest(
        _ resource: ResourceRequest, token: String?, _ configuration: HyperHiveConfiguration
    ) throws -> HTTPRequest {
        let query = Query(resource.query.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        var request = try request(
            .post, ["rpc", resource.resource, ""], query: query, body: .bytes(resource.body), token: token,
            configuration)
        if let base = resource.deltaBase { try request.fields.set("X-Delta", to: "v\(base)-last") }
        if let id = resource.transactionID { try request.fields.set("X-Transaction-ID", to: id) }
        if let etag = resource.etag { try request.fields.set("If-None-Match", to: etag) }
        for (name, value) in resource.headers.sorted(by: { $0.key < $1.key }) {
            try request.fields.set(name, to: value)
        }
        return request
    }

    /// Makes the request for the transactions of a resource.
    public func transactionsRequest(
        of resource: String, token: String?, _ configuration: HyperHiveConfiguration
    ) throws -> HTTPRequest {
        try request(.get, ["transactions", ""], query: ["resource": resource], token: token, configuration)
    }

    /// Returns the members `uuid` of a list of objects.
    public func transactionIDs(in list: JSONValue) -> [String]? {
        guard let entries = list.array else { return nil }
        let ids = entries.compactMap { $0["uuid"]?.string }
        return ids.count == entries.count ? ids : nil
    }

    /// Makes the request that gets or deletes a transaction.
    public func transactionRequest(
        _ id: String, of resource: String, isDeletion: Bool, token: String?, _ configuration: HyperHiveConfiguration
    ) throws -> HTTPRequest {
        try request(isDeletion ? .delete : .get, ["transactions", id, ""], token: token, configuration)
    }

    private func request(
        _ method: HTTPMethod, _ path: [String], query: Query = Query(), body: HTTPBody = .empty, token: String?,
        _ configuration: HyperHiveConfiguration
    ) throws -> HTTPRequest {
        let url = try HostURL(configuration.host).url(["api", configuration.apiVersion] + path, query: query)
        var fields = try HTTPFields(["Accept": "application/json"])
        if !body.isEmpty { try fields.set(.contentType, to: "application/json") }
        if !configuration.device.isEmpty { try fields.set(Self.deviceField, to: configuration.device) }
        if let token { try fields.set(.authorization, to: "Bearer \(token)") }
        return try HTTPRequest(method, url, fields: fields, body: body)
    }
}
