package import Foundation
package import HTTPMessages

extension HTTPResponse {
    /// The JSON of the body in UTF-8, without a byte order mark.
    ///
    /// JSON must be UTF-8 (RFC 8259, section 8.1). Other encodings are detected by a byte order mark, by the charset
    /// parameter, or by a zero byte in the first two: the first character of JSON is ASCII, so that means UTF-16.
    func jsonText() throws(ResponseDecodingError) -> Data {
        let mark = Charset.byteOrderMark(in: body)
        let json = mark.map { body.dropFirst($0.length) } ?? body
        guard !json.isEmpty else {
            throw ResponseDecodingError(
                .emptyBody,
                "Empty body, expected JSON; to accept one, decode an optional type with a client, as in "
                    + "`let item: Item?`, or use the decoder `.optional(_:)`.",
                response: self)
        }
        let charset = mark?.charset ?? charsetWithoutMark
        guard charset != .utf8 else { return json }
        do {
            return Data(try charset.text(of: json, invalidBytes: .fail).utf8)
        } catch {
            throw ResponseDecodingError(
                charset: charset, invalidByteAt: error.offset + (mark?.length ?? 0), of: self)
        }
    }

    /// The JSON of the body in UTF-8; the body as it is where that fails, for readers with errors of another kind.
    ///
    /// A body that is UTF-8 is read so, regardless of its label: many servers label all responses by another default.
    package var jsonBody: Data {
        let isUTF8 = !body.prefix(2).contains(0) && String(validating: body, as: UTF8.self) != nil
        if isUTF8, Charset.byteOrderMark(in: body) == nil { return body }
        return (try? jsonText()) ?? body
    }

    private var charsetWithoutMark: Charset {
        let start = body.prefix(2)
        if start.count == 2 {
            if start.first == 0 { return .utf16BE }
            if start.last == 0 { return .utf16LE }
        }
        // An unsupported charset is ignored: JSON defines no charset parameter, and the parser rejects other encodings.
        return head.charsetLabel.flatMap(Charset.init(label:)) ?? .utf8
    }
}
