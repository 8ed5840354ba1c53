import Foundation
import HTTPMessages
import Transport

/// The serialized bytes of a response, for faults that send only some of them.
struct WireResponse {
    /// The status line, the fields and the empty line.
    let head: Data
    /// The body with its framing.
    let body: Data
    /// The framed body up to the middle of its content.
    let halfBody: Data

    var bytes: Data { head + body }

    init(_ response: HTTPResponse) {
        var head: [UInt8] = []
        head.append(response.status, response.fields)
        self.head = Data(head + Array("\r\n".utf8))
        let isChunked = response.fields.contains(.transferEncoding) && !response.status.forbidsBody
        let start = isChunked && !response.body.isEmpty ? "\(String(response.body.count, radix: 16))\r\n" : ""
        var end: [UInt8] = []
        if isChunked {
            end += (response.body.isEmpty ? "0\r\n" : "\r\n0\r\n").utf8
            end.append(response.trailers ?? HTTPFields())
            end += "\r\n".utf8
        }
        halfBody = Data(start.utf8) + response.halved.body
        body = Data(start.utf8) + response.body + Data(end)
    }
}
