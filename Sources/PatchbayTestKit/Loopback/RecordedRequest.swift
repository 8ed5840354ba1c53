public import Foundation
public import HTTPMessages

/// A request as it arrived at a ``LoopbackServer``.
public struct RecordedRequest: Sendable {
    /// Which request it is, counted from 0 over all connections in the order of arrival.
    public internal(set) var number = 0
    /// Which connection it came on, counted from 0 in the order in which they were made.
    public let connection: Int
    /// The method as it was sent.
    public let method: String
    /// The request target as it was sent: path and query, or whatever the client wrote there.
    public let target: String
    /// The header fields.
    public let fields: HTTPFields
    /// The body, without chunks. Empty when it was left unread.
    public let body: Data
    /// The head byte by byte: request line, header lines and the empty line after them.
    public let head: Data
    /// The lines after a chunked body, byte by byte.
    public let trailers: Data
    let hasBody: Bool
    let keepsAlive: Bool
    let minorVersion: Int

    /// The header lines as they were sent: spelling, order and blanks are the client's.
    public var headerLines: [String] { Array(lines.dropFirst()) }

    /// The request line as it was sent.
    public var requestLine: String { lines.first ?? "" }

    private var lines: [String] {
        head.split(separator: 0x0A).map { String(decoding: $0.dropLast(), as: UTF8.self) }.filter { !$0.isEmpty }
    }

    /// The request as a value.
    /// - Parameter origin: scheme, host and port for targets that are a path.
    /// - Throws: `HTTPMessageError` when it cannot be one, such as a `GET` with a body.
    func request(origin: String) throws(HTTPMessageError) -> HTTPRequest {
        let method = try HTTPMethod(method)
        let url =
            switch target.utf8.first {
            case UInt8(ascii: "/"): origin + target
            case UInt8(ascii: "*"): origin
            default: target
            }
        let isNothing = !hasBody || (body.isEmpty && !method.allowsBody)
        return try HTTPRequest(method, url, fields: fields, body: isNothing ? .empty : .bytes(body))
    }
}

extension RecordedRequest: CustomStringConvertible, CustomReflectable {
    /// Number, method and target without its query.
    public var description: String {
        "#\(number) \(method) \(target.prefix { $0 != "?" }), \(body.count) bytes"
    }
    /// Shows the parts, without secrets.
    public var customMirror: Mirror { Mirror(self, children: ["request": description, "fields": fields]) }
}
