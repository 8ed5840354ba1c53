import Foundation
import HTTPMessages
import PatchbayTestKit

/// The server's part of the long transfers: bytes without end, and a place where bytes go.
enum StreamingServer {
    /// One piece, sent again and again: what costs time here would be counted against the client.
    private static let piece = Data(repeating: 0x5A, count: 256 << 10)

    /// `/down?N` answers with N bytes, `/extension` with a chunk whose head has no end, `/silence` not at all; anything else takes a body of any length and says how long it was.
    static func serve(_ connection: RawConnection) throws {
        while let request = try connection.receiveRequest(readsBody: false) {
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

    /// Reads a body; of a chunked one the framing counts too, which is less than one byte in a thousand.
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
