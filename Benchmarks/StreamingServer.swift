import Foundation
import HTTPMessages
import PatchbayTestKit

/// The server of long transfers: a source and a sink of bytes.
enum StreamingServer {
    /// One piece, sent repeatedly, so that the server costs little CPU time.
    static let piece = Data(repeating: 0x5A, count: 256 << 10)

    /// Serves a connection.
    ///
    /// `/down?N` sends N bytes, `/chunks` chunks of one byte without an end, `/extension` a chunk with an endless
    /// extension, `/silence` no response, and ``CutTransfers`` has further targets; all others take a body of any
    /// length and return its length.
    static func serve(_ connection: RawConnection) throws {
        while let request = try connection.receiveRequest(readsBody: false) {
            guard let isHandled = try CutTransfers.respond(to: request, over: connection) else { return }
            if isHandled { continue }
            if request.target.hasPrefix("/down?"), let count = Int(request.target.dropFirst(6)) {
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\nETag: \"1\"\r\n\r\n")
                var rest = count
                while rest > 0 {
                    try connection.send(rest < piece.count ? piece.prefix(rest) : piece)
                    rest -= piece.count
                }
            } else if request.target == "/extension" {
                try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;")
                while true { try connection.send(piece) }
            } else if request.target == "/chunks" {
                try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                let chunks = Data(repeatElement("1\r\nx\r\n", count: 40_000).joined().utf8)
                while true { try connection.send(chunks) }
            } else if request.target == "/silence" {
                connection.stall()
            } else {
                if request.fields["Expect"] != nil { try connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
                let count = try swallow(from: connection, length: request.fields[.contentLength].flatMap { Int($0) })
                let text = String(count)
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
            }
        }
    }

    /// Reads a body and returns its length. Chunked framing counts, too: less than 0.1 %.
    private static func swallow(from connection: RawConnection, length: Int?) throws -> Int {
        var count = 0
        let end = Data("0\r\n\r\n".utf8)
        while count < length ?? .max, let bytes = try connection.receive() {
            count += bytes.count
            if length == nil, bytes.suffix(end.count) == end { break }
        }
        return count
    }
}
