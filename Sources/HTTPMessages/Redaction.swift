public import Foundation

/// Which header fields and query parameters are secret: their values never reach a description, an error or a log.
///
/// A name is secret when one of its words is in the list. Words are what stands between `-`, `_`, `.` and changes from
/// lower to upper case, so `X-Ak-Session-Id`, `api_key` and `accessToken` are all secret; and `ToKen` as a whole too.
public struct Redaction: Hashable, Sendable {
    /// The words, in lower case.
    public var words: Set<String>

    /// A policy of one's own; words are compared without regard to case.
    public init(words: Set<String>) { self.words = Set(words.map { $0.lowercased() }) }

    /// Credentials, cookies, tokens, keys, passwords, sessions and signatures.
    public static let standard = Redaction(words: [
        "authorization", "auth", "cookie", "token", "session", "sessionid", "secret", "password", "passwd", "pwd",
        "pass", "key", "apikey", "signature", "sig", "credential", "credentials", "jwt", "code", "otp", "pin",
        "principal", "accesstoken", "refreshtoken", "idtoken", "authtoken", "sessiontoken", "clientsecret",
        "jsessionid",
    ])

    /// What stands in for a secret.
    public static let mark = "<redacted>"

    /// True when the name names a secret.
    public func isSecret(_ name: String) -> Bool {
        var part = ""
        var word = ""
        var previousWasLower = false
        for scalar in name.unicodeScalars {
            let properties = scalar.properties
            guard properties.isAlphabetic || properties.numericType != nil else {
                if words.contains(word) || words.contains(part) { return true }
                part = ""
                word = ""
                previousWasLower = false
                continue
            }
            if properties.isUppercase, previousWasLower {
                if words.contains(word) { return true }
                word = ""
            }
            previousWasLower = properties.isLowercase
            word += properties.lowercaseMapping
            part += properties.lowercaseMapping
        }
        return words.contains(word) || words.contains(part)
    }

    /// The value, or the mark when its field is secret.
    public func value(_ value: String, of name: HTTPFieldName) -> String {
        isSecret(name.spelling) ? Self.mark : value
    }

    /// The URL without user, password and fragment, and with the mark for the value of each secret query parameter.
    public func text(of url: URL) -> String {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return Self.mark }
        parts.user = nil
        parts.password = nil
        parts.fragment = nil
        guard let query = parts.percentEncodedQuery else { return parts.string ?? Self.mark }
        parts.percentEncodedQuery = nil
        let pairs = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            // Some servers part parameters by semicolons, to others they are part of a value: a secret in either goes.
            pair.split(separator: ";", omittingEmptySubsequences: false).contains(where: holdsSecret)
                ? "\(pair.prefix { $0 != "=" })=\(Self.mark)" : String(pair)
        }
        return (parts.string ?? Self.mark) + "?" + pairs.joined(separator: "&")
    }

    private func holdsSecret(_ pair: Substring) -> Bool {
        guard let equals = pair.firstIndex(of: "=") else { return false }
        return isSecret(pair[..<equals].removingPercentEncoding ?? String(pair[..<equals]))
    }
}
