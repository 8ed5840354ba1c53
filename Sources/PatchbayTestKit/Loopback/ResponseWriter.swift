import Foundation
import HTTPMessages
import Transport

/// Writes responses to a socket, with a minimum of system calls.
struct ResponseWriter {
    let keepsAlive: Bool
    let minorVersion: Int
    let hidesBody: Bool

    func write(_ response: HTTPResponse, to socket: Socket, using output: inout [UInt8]) throws(ConnectionLost) {
        try write(
            status: response.status, fields: response.fields, body: response.body,
            trailers: response.trailers ?? HTTPFields(), to: socket, using: &output)
    }

    /// - Parameters:
    ///   - trailers: the fields after a chunked body.
    ///   - output: a buffer that is reused for every response.
    func write(
        status: HTTPStatus, fields: HTTPFields, body: Data, trailers: HTTPFields = HTTPFields(), to socket: Socket,
        using output: inout [UInt8]
    ) throws(ConnectionLost) {
        var fields = fields
        fields.remove(.connection)
        var isChunked = fields.contains(.transferEncoding)
        if isChunked, minorVersion == 0 {
            isChunked = false
            fields.remove(.transferEncoding)
            fields.stateLength(body.count)
        }
        output.removeAll(keepingCapacity: true)
        output.append(status, fields)
        if !keepsAlive {
            output.append(contentsOf: "Connection: close\r\n".utf8)
        } else if minorVersion == 0 {
            output.append(contentsOf: "Connection: keep-alive\r\n".utf8)
        }
        output.append(contentsOf: "\r\n".utf8)
        if hidesBody { return try socket.write(output) }
        if isChunked, !body.isEmpty { output.append(contentsOf: "\(String(body.count, radix: 16))\r\n".utf8) }
        var end: [UInt8] = []
        if isChunked {
            end += (body.isEmpty ? "0\r\n" : "\r\n0\r\n").utf8
            end.append(trailers)
            end += "\r\n".utf8
        }
        // Copying a small body is cheaper than a second system call; for a large one the call is.
        if body.count <= 32_768 {
            output.append(contentsOf: body)
            output.append(contentsOf: end)
            try socket.write(output)
        } else {
            try socket.write(output)
            try socket.write(body)
            if !end.isEmpty { try socket.write(end) }
        }
    }
}

extension [UInt8] {
    /// Appends the status line and the field lines, each with CR LF.
    mutating func append(_ status: HTTPStatus, _ fields: HTTPFields) {
        append(contentsOf: "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n".utf8)
        append(fields)
    }

    /// Appends the field lines, each with CR LF.
    mutating func append(_ fields: HTTPFields) {
        for field in fields {
            append(contentsOf: field.name.rawName.utf8)
            append(contentsOf: ": ".utf8)
            append(contentsOf: field.value.utf8)
            append(contentsOf: "\r\n".utf8)
        }
    }
}
