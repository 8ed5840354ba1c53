import Foundation
import HTTPMessages

/// Encoding of parameter names and values.
@nonexhaustive public enum QueryEncoding: Hashable, Sendable {
    /// Percent-encodes all bytes except letters, digits and `-._~` (RFC 3986, section 2.1). For URLs.
    case percent
    /// `application/x-www-form-urlencoded` (WHATWG URL, section 5): a space is `+`, `*-._` are unchanged. For bodies.
    case form

    var unescaped: UnescapedCharacters { self == .percent ? .unreserved : .form }
}

extension [UInt8] {
    /// Appends an encoded string.
    mutating func append(_ text: String, as encoding: QueryEncoding, in charset: String.Encoding = .utf8) {
        let (unescaped, spaceIsPlus) = (encoding.unescaped, encoding == .form)
        if charset == .utf8 {
            append(percentEncoding: text.utf8, except: unescaped, spaceIsPlus: spaceIsPlus)
        } else {
            append(percentEncoding: text.bytes(in: charset.ofForms), except: unescaped, spaceIsPlus: spaceIsPlus)
        }
    }
}

extension Collection<UInt8> {
    /// Decodes the bytes. A `%` without two hexadecimal digits is literal.
    func decoded(as encoding: QueryEncoding) -> String {
        String(decoding: percentDecoded(plusIsSpace: encoding == .form), as: UTF8.self)
    }
}
