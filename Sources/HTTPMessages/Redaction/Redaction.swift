public import Foundation

/// Redaction policy: which field and parameter names are secret, so that their values are never logged.
///
/// A name is secret if ``words`` contains one of its words. Names are split at punctuation, and before an upper-case
/// letter that follows a lower-case letter or a digit, or is followed by a lower-case letter. So `X-Ak-Session-Id`,
/// `api_key`, `accessToken`, `oauth2Token` and `X-CSRFToken` are secret. A number at the end of a word does not count:
/// `password1` is secret. Parts between punctuation also count as a whole, so `ToKen` is secret too, and so do whole
/// names, such as `device_code`. Not secret are `token_type`, positions in lists such as `nextPageToken`, and names
/// that end in `_endpoint` or `_supported`, unless the words have the whole name. Of an entity set with a secret name
/// the keys are secret, such as that of `/Sessions('5f2c')`.
public struct Redaction: Hashable, Sendable {
    /// Secret words and whole names, in lower case.
    public var words: Set<String>

    /// True for the policy ``forDecisions``.
    private(set) var isForDecisions = false

    /// Creates a policy; words are case-insensitive.
    public init(words: Set<String>) { self.words = Set(words.map { $0.lowercased() }) }

    /// Credentials, cookies, tokens, keys, passwords, sessions and signatures.
    public static let standard = Redaction(words: [
        "authorization", "auth", "cookie", "token", "session", "sessionid", "secret", "password", "passwd", "pwd",
        "pw", "pass", "passphrase", "key", "apikey", "signature", "sig", "credential", "credentials", "jwt", "code",
        "otp", "pin",
        "principal", "assertion", "accesstoken", "refreshtoken", "idtoken", "authtoken", "sessiontoken", "clientsecret",
        "csrftoken", "xsrftoken", "jsessionid", "sid", "dpop",
        // OAuth: of responses too, in which a code is not secret by itself.
        "device_code", "user_code", "request_uri",
        // SAP's mobile servers: a session, and the identifier of an application connection.
        "sessid", "appcid", "applicationconnectionid",
        // Many services take a credential as a subprotocol, since browsers cannot set a field.
        "sec-websocket-protocol",
    ])

    /// The policy with further names, which are secret as a whole.
    package func adding(_ names: some Sequence<HTTPFieldName>) -> Redaction {
        var redaction = self
        redaction.words.formUnion(names.map(\.canonicalName))
        return redaction
    }

    /// The policy for what is done with a request, such as whether it is stored, not for what is shown.
    ///
    /// Not secret are keys of entities without quotes, as in `TrainingSessions(17)`, and words with other meanings
    /// behind an abbreviation or before a number, as in `ZIPCode` and `key1`.
    package var forDecisions: Redaction {
        var redaction = self
        redaction.isForDecisions = true
        return redaction
    }

    /// Words with other meanings.
    private static let ambiguousWords: Set<String> = ["code", "key", "pass", "pin", "session"]

    /// The replacement for a secret value.
    public static let placeholder = "<redacted>"

    /// True if values of this name are secret.
    public func isSecret(_ name: String) -> Bool { hasSecretWord(name) && !isPublic(name) }

    /// Positions in a list, in lower case and without punctuation, which services call tokens.
    private static let positions: Set<String> = [
        "pagetoken", "nextpagetoken", "prevpagetoken", "previouspagetoken", "nexttoken", "synctoken", "nextsynctoken",
        "skiptoken", "deltatoken",
    ]

    /// True for names of OAuth that say what a token or a server is, and for positions in lists.
    private func isPublic(_ name: String) -> Bool {
        let name = name.lowercased()
        let isPublic =
            name == "token_type" || name == "token_type_hint" || name.hasSuffix("_endpoint")
            || name.hasSuffix("_supported") || Self.positions.contains(name.filter(\.isLetter))
        return isPublic && !words.contains(name)
    }

    private func hasSecretWord(_ name: String) -> Bool {
        // A word begins with an upper-case letter after a lower-case one. An inner word also begins with one after a
        // digit or before a lower-case letter; in the other reading `myAPIKey` has the word `apikey`.
        var (part, word, inner) = ("", "", "")
        var (followsLower, followsDigit) = (false, false)
        let scalars = name.unicodeScalars
        for index in scalars.indices {
            let properties = scalars[index].properties
            guard properties.isAlphabetic || properties.numericType != nil else {
                if isSecret(part, word, inner) { return true }
                (part, word, inner) = ("", "", "")
                (followsLower, followsDigit) = (false, false)
                continue
            }
            if properties.isUppercase {
                if followsLower || followsDigit || scalars[index...].dropFirst().first?.properties.isLowercase == true {
                    if isListed(inner, isWhole: false) { return true }
                    inner = ""
                }
                if followsLower {
                    if isListed(word) { return true }
                    word = ""
                }
            }
            followsLower = properties.isLowercase
            followsDigit = properties.numericType != nil
            let lower = properties.lowercaseMapping
            part += lower
            word += lower
            inner += lower
        }
        if isSecret(part, word, inner) { return true }
        // Without punctuation, the part was the whole name.
        return part.utf8.count < name.utf8.count && words.contains(name.lowercased())
    }

    /// True for a field with a secret name, except `Idempotency-Key`, which only names its request.
    package func isCredential(_ name: HTTPFieldName) -> Bool { name != .idempotencyKey && isSecret(name.rawName) }

    /// True if a part between punctuation or one of its last words is secret; mostly all are the same.
    private func isSecret(_ part: String, _ word: String, _ inner: String) -> Bool {
        isListed(part) || word != part && isListed(word) || inner != word && isListed(inner, isWhole: false)
    }

    /// True for a secret word, also with a number behind it. One that is not whole may be behind an abbreviation.
    private func isListed(_ word: String, isWhole: Bool = true) -> Bool {
        if words.contains(word) { return isWhole || !isForDecisions || !Self.ambiguousWords.contains(word) }
        var letters = word[...]
        while let last = letters.utf8.last, UInt8(ascii: "0")...UInt8(ascii: "9") ~= last { letters.removeLast() }
        return letters.endIndex < word.endIndex && isListed(String(letters), isWhole: false)
    }

    /// Returns the value, or the placeholder if the field name is secret; cookies keep their names and attributes. A
    /// value that is a URL is redacted as such, and in any other the values after secret names, such as those of a
    /// relative URL.
    public func redacted(_ value: String, of name: HTTPFieldName) -> String {
        if isSecret(name.rawName) {
            return name == .cookie || name == .setCookie ? redacted(cookies: value, of: name) : Self.placeholder
        }
        if name == .link { return (try? LinkField(value))?.redacted(self) ?? Self.placeholder }
        let hasURL =
            ["location", "content-location", "referer"].contains(name.canonicalName)
            || name.canonicalName.hasSuffix("-url")
        if name == .wwwAuthenticate || name == .proxyAuthenticate { return redacted(challenges: value) }
        guard hasURL else { return SecretScanner.redacted(value, self) }
        return URL(string: value).map { redacted($0) } ?? Self.placeholder
    }

    /// Returns the URL without user, password and fragment, and with secret parameters and keys replaced.
    ///
    /// A value that contains a secret, such as another URL, is replaced too.
    public func redacted(_ url: URL) -> String {
        let text = redactedByNames(url)
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return text }
        let query = text[text.utf8.index(after: mark)...]
        guard query.utf8.mayHoldSecretInValue else { return text }
        let pairs = query.parts(at: "&").map { redacted(pair: $0) }
        return text[...mark] + pairs.joined(separator: "&")
    }

    /// Returns the URL as ``redacted(_:)-(URL)`` does, but for values whose name is no secret: for rules about names.
    package func redactedByNames(_ url: URL) -> String {
        let text = url.absoluteString
        // Most URLs can have a secret in their query only, and need not be parsed.
        if !text.utf8.contains(where: { "#@(;".utf8.contains($0) }) {
            guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return withoutKeys(text) }
            let query = text.utf8.index(after: mark)
            return withoutKeys(text[..<query]) + redacted(form: String(text[query...]))
        }
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return Self.placeholder }
        parts.user = nil
        parts.password = nil
        parts.fragment = nil
        let query = parts.percentEncodedQuery
        parts.percentEncodedQuery = nil
        guard let start = parts.string.map({ withoutParameters(withoutKeys($0)) }) else { return Self.placeholder }
        guard let query else { return start }
        return start + "?" + redacted(form: query)
    }

    /// True if a URL has a credential, which is for its own server only.
    ///
    /// A number in the path is the key of an entity; in the query each secret name counts, also `key1`.
    package func hasCredential(in url: URL) -> Bool {
        forDecisions.redactedByNames(url) != url.absoluteString
            || URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems?.contains { isSecret($0.name) }
                ?? false
    }

    /// Returns a text on one line, with the values after secret names replaced, as in JSON, forms, XML and fields.
    package func redacted(line text: String) -> String {
        SecretScanner.redacted(text.onOneLine, self)
    }

    /// Returns the pairs of a form with secret values replaced.
    package func redacted(form: String) -> String {
        form[...].parts(at: "&").map(redactedPair).joined(separator: "&")
    }

    private func redactedPair(_ pair: Substring) -> String {
        // Some servers treat a semicolon as a separator, others as part of the value: both readings are checked.
        pair.parts(at: ";").contains(where: containsSecret)
            ? "\(pair.part(before: "="))=\(Self.placeholder)" : String(pair)
    }

    /// Returns a URL without a query, with the secret parameters of its path replaced: `/a;jsessionid=5f2c/b`.
    private func withoutParameters(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: ";")) else { return text }
        let parts = text[...].parts(at: ";")
        let parameters = parts.dropFirst().map { part in
            let parameter = part.part(before: "/")
            guard containsSecret(parameter) else { return String(part) }
            return "\(parameter.part(before: "="))=\(Self.placeholder)\(part[parameter.endIndex...])"
        }
        return ([String(parts[0])] + parameters).joined(separator: ";")
    }

    private func containsSecret(_ pair: Substring) -> Bool {
        let name = pair.part(before: "=")
        return name.endIndex < pair.endIndex && isSecret(name.decodedLeniently)
    }
}

extension Substring.UTF8View {
    /// False if no value of a query has what separates a name from a value or a scheme from credentials.
    fileprivate var mayHoldSecretInValue: Bool {
        var isInValue = false
        return contains { byte in
            switch byte {
            case UInt8(ascii: "&"): isInValue = false
            case UInt8(ascii: "=") where !isInValue: isInValue = true
            case UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: "("):
                return isInValue
            default: break
            }
            return false
        }
    }
}

extension String {
    /// The text without control characters, and with a single space for each run of white space.
    package var onOneLine: String {
        let isPlain = utf8.allSatisfy { (0x21...0x7E).contains($0) }
        if isPlain { return self }
        let printable = unicodeScalars.filter {
            $0.properties.isWhitespace || ![.control, .format].contains($0.properties.generalCategory)
        }
        return String(String.UnicodeScalarView(printable)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
