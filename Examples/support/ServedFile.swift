public import Foundation
import HTTPMessages
public import PatchbayTestKit

/// A file on a server whose connections may break, and which continues at the byte that a client asks for.
public struct ServedFile: Sendable {
    /// The content.
    public let content: Data
    private let bytesPerConnection: Int
    private let fields: [String: String]

    /// Creates a file.
    /// - Parameters:
    ///   - bytesPerConnection: the bytes after which a connection breaks; default: none does.
    ///   - fields: further fields of each response.
    public init(_ content: Data, bytesPerConnection: Int = .max, fields: [String: String] = [:]) {
        self.content = content
        self.bytesPerConnection = bytesPerConnection
        self.fields = fields
    }

    /// The steps of the server for a request of the file.
    public func script(for request: RecordedRequest) -> ServerScript {
        let field = request.fields[.range].flatMap { RangeField(parsing: $0) }
        let range = field?.parts.first.flatMap { $0.range(inLength: Int64(content.count)) }
        if field != nil, range == nil {
            let head = "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */\(content.count)\r\n"
            return [.send(head + "Content-Length: 0\r\nConnection: close\r\n\r\n"), .close]
        }
        let start = range.map { Int($0.lowerBound) } ?? 0
        var head = [
            range == nil ? "HTTP/1.1 200 OK" : "HTTP/1.1 206 Partial Content", "ETag: \"v1\"", "Accept-Ranges: bytes",
            "Content-Length: \(content.count - start)", "Connection: close",
        ]
        if range != nil { head.append("Content-Range: bytes \(start)-\(content.count - 1)/\(content.count)") }
        head += fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        let end = content.count - start > bytesPerConnection ? start + bytesPerConnection : content.count
        return [.send(head.joined(separator: "\r\n") + "\r\n\r\n"), .send(content[start..<end]), .close]
    }
}
