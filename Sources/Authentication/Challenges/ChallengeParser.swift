import HTTPMessages

/// Parser of one `WWW-Authenticate` or `Proxy-Authenticate` value: a list of challenges with lists of parameters.
///
/// A token without `=` starts a challenge; a token with `=` is a parameter of the current one. Malformed parts are
/// skipped to the next comma, so parsing never fails:
///
/// ```
/// challenges = *( "," OWS ) challenge *( OWS "," [ OWS challenge ] )
/// challenge  = scheme [ 1*SP ( token68 / parameter *( OWS "," [ OWS parameter ] ) ) ]
/// parameter  = token BWS "=" BWS ( token / quoted-string )
/// ```
struct ChallengeParser {
    private typealias Parameter = AuthenticationChallenge.Parameter

    private struct Draft {
        let scheme: String
        var token68: String?
        var parameters: [Parameter] = []

        var challenge: AuthenticationChallenge {
            AuthenticationChallenge(scheme: scheme, token68: token68, parameters: parameters)
        }
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ value: String) { bytes = Array(value.utf8) }

    mutating func parse() -> [AuthenticationChallenge] {
        var challenges: [Draft] = []
        while true {
            skip { $0.isHTTPWhitespace || $0 == UInt8(ascii: ",") }
            guard position < bytes.count else { break }
            let start = position
            let token = takeToken()
            guard !token.isEmpty else {
                skipToComma()
                continue
            }
            if !challenges.isEmpty, let value = takeValue() {
                challenges[challenges.count - 1].parameters.append(Parameter(token, value))
                continue
            }
            guard isAtEndOfElement || bytes[position].isHTTPWhitespace else {
                // Neither a scheme nor a parameter, such as `a/b` or a parameter without a challenge.
                position = start
                skipToComma()
                continue
            }
            challenges.append(parseChallenge(token))
        }
        return challenges.map(\.challenge)
    }

    /// Parses what follows a scheme, up to the next comma.
    private mutating func parseChallenge(_ scheme: String) -> Draft {
        var draft = Draft(scheme: scheme)
        skip(while: \.isHTTPWhitespace)
        guard !isAtEndOfElement else { return draft }
        if let token68 = takeToken68() {
            draft.token68 = token68
            return draft
        }
        let name = takeToken()
        if !name.isEmpty, let value = takeValue() {
            draft.parameters.append(Parameter(name, value))
            // Some servers separate parameters by spaces only.
            while true {
                let start = position
                skip(while: \.isHTTPWhitespace)
                let name = takeToken()
                guard start != position, !name.isEmpty, let value = takeValue() else {
                    position = start
                    break
                }
                draft.parameters.append(Parameter(name, value))
            }
        }
        skipToComma()
        return draft
    }

    private var isAtEndOfElement: Bool { position >= bytes.count || bytes[position] == UInt8(ascii: ",") }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
    }

    /// Skips to the next comma outside of a quoted string.
    private mutating func skipToComma() {
        while position < bytes.count, bytes[position] != UInt8(ascii: ",") {
            if bytes[position] == UInt8(ascii: "\"") { _ = takeQuotedString() } else { position += 1 }
        }
    }

    private mutating func takeToken() -> String {
        let start = position
        skip(while: \.isHTTPTokenByte)
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Takes a token68 that is alone up to the next comma or the end.
    private mutating func takeToken68() -> String? {
        let start = position
        skip(while: \.isToken68Byte)
        let hasData = position > start
        skip { $0 == UInt8(ascii: "=") }
        let end = position
        skip(while: \.isHTTPWhitespace)
        guard hasData, isAtEndOfElement else {
            position = start
            return nil
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// Takes `=` and the value of a parameter; nil, without moving, if there is no `=`.
    private mutating func takeValue() -> String? {
        let start = position
        skip(while: \.isHTTPWhitespace)
        guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
            position = start
            return nil
        }
        position += 1
        skip(while: \.isHTTPWhitespace)
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") { return takeQuotedString() }
        // Not only tokens: some servers send URLs and paths without quotes.
        let value = position
        skip { !$0.isHTTPWhitespace && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
        return String(decoding: bytes[value..<position], as: UTF8.self)
    }

    /// Takes a quoted string at its opening quote; one without a closing quote extends to the end.
    private mutating func takeQuotedString() -> String {
        position += 1
        var text: [UInt8] = []
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), position < bytes.count {
                byte = bytes[position]
                position += 1
            }
            text.append(byte)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension UInt8 {
    /// True for a character of token68 (RFC 9110, section 11.2), without the padding.
    var isToken68Byte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        // - . _ ~ + /
        case 0x2D, 0x2E, 0x5F, 0x7E, 0x2B, 0x2F: true
        default: false
        }
    }
}
