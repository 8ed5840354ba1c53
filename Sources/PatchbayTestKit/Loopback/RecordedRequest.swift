public import Foundation
public import HTTPMessages

/// A request received by a ``LoopbackServer``.
public struct RecordedRequest: Sendable {
    /// The number of the request, from 0, in the order of arrival over all connections.
    public internal(set) var number = 0
    /// The number of its connection, from 0, in the order of acceptance.
    public let connection: Int
    /// The method as it was sent.
    public let method: String
    /// The raw request target, usually path and query.
    public let target: String
    /// The header fields.
    public let fields: HTTPFields
    /// The body without chunk framing. Empty when it was left unread.
    public let body: Data
    /// The raw head: request line, header lines and the empty line.
    public let head: Data
    /// The raw trailer section of a chunked body.
    public let trailers: Data
    let hasBody: Bool
    let keepsAlive: Bool
    let minorVersion: Int

    /// The raw header lines, with the client's case, order and whitespace.
    public var headerLines: [String] { Array(lines.dropFirst()) }

    /// The raw request line.
    public var requestLine: String { lines.first ?? "" }

    private var lines: [String] {
        head.split(separator: 0x0A).map { String(decoding: $0.dropLast(), as: UTF8.self) }.filter { !$0.isEmpty }
    }

    /// Converts to an `HTTPRequest`.
    /// - Parameter origin: scheme, host and port, for a target that is a path.
    /// - Throws: `HTTPMessageError` when `HTTPRequest` does not allow it, such as a `GET` with a body.
    func request(origin: String) throws(HTTPMessageError) -> HTTPRequest {
        let method = try HTTPMethod(method)
        let url =
            switch target.utf8.first {
            case UInt8(ascii: "/"): origin + target
            case UInt8(ascii: "*"): origin
            default: target
            }
        let isBodyless = !hasBody || (body.isEmpty && !method.allowsBody)
        return try HTTPRequest(method, url, fields: fields, body: isBodyless ? .empty : .bytes(body))
    }
}

extension RecordedRequest: CustomStringConvertible, CustomReflectable {
    /// Number, method and target without its query.
    public var description: String {
        "#\(number) \(method) \(target.prefix { $0 != "?" }), \(body.count) bytes"
    }
    /// The description and the redacted fields.
    public var customMirror: Mirror { Mirror(self, children: ["request": description, "fields": fields]) }
}
