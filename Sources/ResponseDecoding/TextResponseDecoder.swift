import Foundation
public import HTTPMessages

/// Decoder of text in the charset of the response.
///
/// A byte order mark takes precedence over the charset of `Content-Type`, as in browsers (WHATWG Encoding, section 6),
/// and is not part of the text.
public struct TextResponseDecoder: ResponseDecoder {
    private let defaultCharset: Charset
    private let invalidBytes: InvalidBytePolicy

    /// Creates a decoder.
    /// - Parameters:
    ///   - defaultCharset: the charset of a response that names none.
    ///   - invalidBytes: handling of bytes that are invalid in the charset.
    public init(default defaultCharset: Charset = .utf8, invalidBytes: InvalidBytePolicy = .fail) {
        self.defaultCharset = defaultCharset
        self.invalidBytes = invalidBytes
    }

    /// Decodes the body; an empty body is an empty string.
    /// - Throws: ``ResponseDecodingError`` (`unsupportedCharset`, `invalidText`); nothing with
    ///   ``InvalidBytePolicy/replace``.
    public func decode(_ response: HTTPResponse) throws(ResponseDecodingError) -> String {
        let mark = Charset.byteOrderMark(in: response.body)
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
        guard invalidBytes == .fail else { return defaultCharset }
        throw ResponseDecodingError(
            .unsupportedCharset, "Unsupported charset in Content-Type; decode the body as `.data`.",
            response: response, charset: label)
    }
}

extension ResponseDecodingError {
    /// Creates the error for bytes that are invalid in a charset.
    init(charset: Charset, invalidByteAt offset: Int, of response: HTTPResponse) {
        self.init(
            .invalidText,
            "Invalid \(charset) in the body at byte offset \(offset); use `invalidBytes: .replace` to accept it.",
            response: response, charset: charset.name, byteOffset: offset)
    }
}

extension ResponseDecoder where Self == TextResponseDecoder {
    /// Decodes text.
    /// - Parameters:
    ///   - defaultCharset: the charset of a response that names none.
    ///   - invalidBytes: handling of bytes that are invalid in the charset.
    public static func text(
        default defaultCharset: Charset = .utf8, invalidBytes: InvalidBytePolicy = .fail
    ) -> TextResponseDecoder {
        TextResponseDecoder(default: defaultCharset, invalidBytes: invalidBytes)
    }
}

/// Handling of bytes that are invalid in the charset of a body.
@nonexhaustive public enum InvalidBytePolicy: Hashable, Sendable {
    /// Throws an error with the offset of the first invalid byte, or for an unsupported charset.
    case fail
    /// Replaces invalid bytes by U+FFFD, and an unsupported charset by the default one, so that decoding never fails.
    case replace
}
