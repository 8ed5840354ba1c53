import Foundation
public import HTTPMessages

/// Reads a text in the charset that the response names.
///
/// A byte order mark beats the charset of `Content-Type`, as in browsers (WHATWG, Encoding, section 6), and is not part
/// of the text.
public struct TextResponseDecoder: ResponseDecoder {
    private let defaultCharset: Charset
    private let invalidBytes: InvalidBytePolicy

    /// A decoder.
    /// - Parameters:
    ///   - defaultCharset: what counts when the response names no charset.
    ///   - invalidBytes: what to do with bytes that the charset does not allow.
    public init(default defaultCharset: Charset = .utf8, invalidBytes: InvalidBytePolicy = .refused) {
        self.defaultCharset = defaultCharset
        self.invalidBytes = invalidBytes
    }

    /// The text; empty when the body is.
    /// - Throws: ``ResponseDecodingError`` (`unsupportedCharset`, `invalidText`), unless invalid bytes are replaced.
    public func decode(_ response: HTTPResponse) throws(ResponseDecodingError) -> String {
        let mark = Charset.ofByteOrderMark(in: response.body)
        let charset = if let mark { mark.charset } else { try charsetWithoutMark(of: response) }
        let bytes = mark.map { response.body.dropFirst($0.length) } ?? response.body
        do {
            return try charset.text(of: bytes, invalidBytes: invalidBytes)
        } catch {
            throw ResponseDecodingError(
                charset: charset, invalidByteAt: error.offset + (mark?.length ?? 0), of: response)
        }
    }

    private func charsetWithoutMark(of response: HTTPResponse) throws(ResponseDecodingError) -> Charset {
        guard let label = response.head.charsetLabel else { return defaultCharset }
        if let charset = Charset(label: label) { return charset }
        guard invalidBytes == .refused else { return defaultCharset }
        throw ResponseDecodingError(
            .unsupportedCharset, "Content-Type names an unknown charset; decode the body as `.data`.",
            response: response, charset: label)
    }
}

extension ResponseDecodingError {
    /// The error for bytes that a charset does not allow.
    init(charset: Charset, invalidByteAt offset: Int, of response: HTTPResponse) {
        self.init(
            .invalidText,
            "The body is not valid \(charset): invalid byte at offset \(offset); `invalidBytes: .replaced` replaces them.",
            response: response, charset: charset.name, byteOffset: offset)
    }
}

extension ResponseDecoder where Self == TextResponseDecoder {
    /// A text.
    /// - Parameters:
    ///   - defaultCharset: what counts when the response names no charset.
    ///   - invalidBytes: what to do with bytes that the charset does not allow.
    public static func text(
        default defaultCharset: Charset = .utf8, invalidBytes: InvalidBytePolicy = .refused
    ) -> TextResponseDecoder {
        TextResponseDecoder(default: defaultCharset, invalidBytes: invalidBytes)
    }
}
