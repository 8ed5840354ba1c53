import Foundation
import HTTPMessages

/// The JSON of a response, in the one encoding that parsers read.
enum JSONText {
    /// The body in UTF-8, without a byte order mark.
    ///
    /// JSON is UTF-8 by its standard (RFC 8259, section 8.1). Servers that send another encoding say so by a byte order
    /// mark or by a charset, or it shows: the first character is ASCII, so one zero byte in the first two means UTF-16.
    static func utf8(of response: HTTPResponse) throws(ResponseDecodingError) -> Data {
        let body = response.body
        let mark = Charset.ofByteOrderMark(in: body)
        let json = mark.map { body.dropFirst($0.length) } ?? body
        guard !json.isEmpty else {
            throw ResponseDecodingError(
                .emptyBody, "The body is empty, expected JSON; use `.optional(_:)` to accept an empty body.",
                response: response)
        }
        let charset = mark?.charset ?? charsetWithoutMark(of: response)
        guard charset != .utf8 else { return json }
        do {
            return Data(try charset.text(of: json, invalidBytes: .refused).utf8)
        } catch {
            throw ResponseDecodingError(
                charset: charset, invalidByteAt: error.offset + (mark?.length ?? 0), of: response)
        }
    }

    private static func charsetWithoutMark(of response: HTTPResponse) -> Charset {
        let start = response.body.prefix(2)
        if start.count == 2 {
            if start.first == 0 { return .utf16BE }
            if start.last == 0 { return .utf16LE }
        }
        // A charset that is not known is no charset: the parameter means nothing to JSON, and the parser will tell.
        return response.head.charsetLabel.flatMap(Charset.init(label:)) ?? .utf8
    }
}
