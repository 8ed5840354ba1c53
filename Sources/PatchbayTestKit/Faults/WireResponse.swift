import Foundation
import HTTPMessages

/// The bytes of a response, for those who send them other than they should be.
struct WireResponse {
    /// Status line, fields and the empty line.
    let head: Data
    /// The body as it is framed.
    let body: Data
    /// The same up to the middle of what it carries.
    let halfBody: Data

    var bytes: Data { head + body }

    init(_ response: HTTPResponse) {
        var head: [UInt8] = []
        head.append(response.status, response.fields)
        self.head = Data(head + Array("\r\n".utf8))
        let isChunked = response.fields.contains(.transferEncoding)
        let start = isChunked && !response.body.isEmpty ? "\(String(response.body.count, radix: 16))\r\n" : ""
        let end = isChunked ? (response.body.isEmpty ? "0\r\n\r\n" : "\r\n0\r\n\r\n") : ""
        halfBody = Data(start.utf8) + response.halved.body
        body = Data(start.utf8) + response.body + Data(end.utf8)
    }
}
