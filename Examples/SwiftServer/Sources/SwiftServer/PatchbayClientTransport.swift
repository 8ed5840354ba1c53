public import Foundation
import HTTPMessages
public import HTTPTypes
public import OpenAPIRuntime
public import Transport

/// The transport of a client that swift-openapi-generator has made, over any transport of Patchbay.
///
/// ```swift
/// let client = Client(serverURL: try Servers.server1(), transport: PatchbayClientTransport(stack))
/// ```
///
/// Responses are streamed. A request body that can be read again, of up to 1 MiB, is sent from memory, so that it can
/// be retried; any other one is streamed once. The ID of the operation is the URL template in metrics and spans.
public struct PatchbayClientTransport: ClientTransport {
    private static let longestInMemory: Int64 = 1 << 20

    private let transport: AnyTransport

    /// Wraps a transport, such as a stack of layers.
    public init(_ transport: some Transport) { self.transport = AnyTransport(transport) }

    /// Sends a request of the generated client.
    /// - Throws: the errors of the transport; `HTTPMessageError` for an invalid request.
    public func send(
        _ request: HTTPTypes.HTTPRequest, body: OpenAPIRuntime.HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPTypes.HTTPResponse, OpenAPIRuntime.HTTPBody?) {
        var base = baseURL.absoluteString
        if base.hasSuffix("/") { base.removeLast() }
        var sent = try HTTPMessages.HTTPRequest(
            HTTPMessages.HTTPMethod(request.method.rawValue), base + (request.path ?? "/"),
            fields: HTTPMessages.HTTPFields(request.headerFields.lazy.map { ($0.name.rawName, $0.value) }),
            body: await Self.body(body))
        sent.options.urlTemplate = operationID
        let response = try await transport.stream(sent)
        var fields = HTTPTypes.HTTPFields()
        for field in response.fields {
            guard let name = HTTPField.Name(field.name.rawName) else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        let length = response.fields[.contentLength].flatMap { Int64($0) }
        return (
            HTTPTypes.HTTPResponse(status: .init(code: response.status.code), headerFields: fields),
            OpenAPIRuntime.HTTPBody(
                response.body, length: length.map { .known($0) } ?? .unknown, iterationBehavior: .single)
        )
    }

    private static func body(_ body: OpenAPIRuntime.HTTPBody?) async throws -> HTTPMessages.HTTPBody {
        guard let body else { return .empty }
        var length: Int64?
        if case .known(let count) = body.length { length = count }
        if body.iterationBehavior == .multiple, let length, length <= longestInMemory {
            return .bytes(try await Data(collecting: body, upTo: Int(longestInMemory)))
        }
        return .stream(body.map { Data($0) }, length: length)
    }
}
