import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization

/// The server of transfers whose connection it closes after a number of bytes.
///
/// `GET /cut/SIZE/PART` sends bytes in a range; `POST /uploads/SIZE/PART` creates a resumable upload (draft 12), which
/// takes PART bytes of each request. With a part that is as long as the rest nothing is cut.
enum CutTransfers {
    private struct Upload {
        let size: Int
        let part: Int
        var offset = 0
    }

    private static let uploads = Mutex<[Upload]>([])

    /// Responds to a request for one of the targets.
    /// - Returns: false for another target, and nil once the connection is closed.
    static func respond(to request: RecordedRequest, over connection: RawConnection) throws -> Bool? {
        let words = request.target.split(separator: "/")
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch words.first {
        case "cut" where numbers.count == 2: return try send(numbers[0], numbers[1], request, over: connection)
        case "uploads" where numbers.count == 2:
            let number = uploads.withLock { uploads in
                uploads.append(Upload(size: numbers[0], part: numbers[1]))
                return uploads.count - 1
            }
            try connection.send("HTTP/1.1 201 Created\r\nLocation: /upload/\(number)\r\nContent-Length: 0\r\n\r\n")
            return true
        case "upload" where numbers.count == 1: return try receive(numbers[0], request, over: connection)
        default: return false
        }
    }

    private static func send(
        _ size: Int, _ part: Int, _ request: RecordedRequest, over connection: RawConnection
    ) throws -> Bool? {
        let start = request.fields[.range].flatMap { Int($0.dropFirst("bytes=".count).prefix { $0 != "-" }) } ?? 0
        let status = start > 0 ? "206 Partial Content" : "200 OK"
        let range = start > 0 ? "Content-Range: bytes \(start)-\(size - 1)/\(size)\r\n" : ""
        try connection.send(
            "HTTP/1.1 \(status)\r\n\(range)Content-Length: \(size - start)\r\nETag: \"1\"\r\n\r\n")
        var rest = min(size - start, part)
        let piece = StreamingServer.piece
        while rest > 0 {
            try connection.send(rest < piece.count ? piece.prefix(rest) : piece)
            rest -= piece.count
        }
        return size - start <= part ? true : close(connection)
    }

    private static func receive(
        _ number: Int, _ request: RecordedRequest, over connection: RawConnection
    ) throws -> Bool? {
        let upload = uploads.withLock { $0[number] }
        if request.method == "PATCH" {
            if request.fields["Expect"] != nil { try connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
            let length = request.fields[.contentLength].flatMap { Int($0) } ?? 0
            let start = request.fields["Upload-Offset"].flatMap { Int($0) } ?? 0
            guard start == upload.offset else {
                try connection.send("HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return close(connection)
            }
            var count = 0
            while count < min(length, upload.part), let bytes = try connection.receive() { count += bytes.count }
            // Another request may have taken over meanwhile.
            let end = start + count
            uploads.withLock { $0[number].offset = max($0[number].offset, end) }
            if count < length { return close(connection) }
        }
        let offset = uploads.withLock { $0[number].offset }
        try connection.send(
            "HTTP/1.1 204 No Content\r\nUpload-Offset: \(offset)\r\n"
                + "Upload-Complete: \(offset == upload.size ? "?1" : "?0")\r\n\r\n")
        return true
    }

    private static func close(_ connection: RawConnection) -> Bool? {
        connection.close()
        return nil
    }
}
