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

    private var scanner: FieldScanner

    init(_ value: String) { scanner = FieldScanner(value) }

    mutating func parse() -> [AuthenticationChallenge] {
        var challenges: [Draft] = []
        while true {
            scanner.skip { $0.isHTTPWhitespace || $0 == UInt8(ascii: ",") }
            guard scanner.next != nil else { break }
            let start = scanner.position
            let token = scanner.takeToken()
            guard !token.isEmpty else {
                skipToComma()
                continue
            }
            if !challenges.isEmpty, let value = takeValue() {
                challenges[challenges.count - 1].parameters.append(Parameter(token, value))
                continue
            }
            guard isAtEndOfElement || scanner.next?.isHTTPWhitespace == true else {
                // Neither a scheme nor a parameter, such as `a/b` or a parameter without a challenge.
                scanner.position = start
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
        scanner.skip(while: \.isHTTPWhitespace)
        guard !isAtEndOfElement else { return draft }
        if let token68 = takeToken68() {
            draft.token68 = token68
            return draft
        }
        let name = scanner.takeToken()
        if !name.isEmpty, let value = takeValue() {
            draft.parameters.append(Parameter(name, value))
            // Some servers separate parameters by spaces only.
            while true {
                let start = scanner.position
                scanner.skip(while: \.isHTTPWhitespace)
                let name = scanner.takeToken()
                guard start != scanner.position, !name.isEmpty, let value = takeValue() else {
                    scanner.position = start
                    break
                }
                draft.parameters.append(Parameter(name, value))
            }
        }
        skipToComma()
        return draft
    }

    private var isAtEndOfElement: Bool { scanner.next == nil || scanner.next == UInt8(ascii: ",") }

    /// Skips to the next comma outside of a quoted string.
    private mutating func skipToComma() { scanner.skipUnquoted(to: { $0 == UInt8(ascii: ",") }) }

    /// Takes a token68 that is alone up to the next comma or the end.
    private mutating func takeToken68() -> String? {
        let start = scanner.position
        scanner.skip(while: \.isToken68Byte)
        let hasData = scanner.position > start
        while scanner.take("=") {}
        let token68 = scanner.text(from: start)
        scanner.skip(while: \.isHTTPWhitespace)
        guard hasData, isAtEndOfElement else {
            scanner.position = start
            return nil
        }
        return token68
    }

    private mutating func takeValue() -> String? {
        scanner.takeValue { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
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
