import Foundation
import HTTPMessages

/// The parameters of an `Authorization` field with Digest (RFC 7616, section 3.4), as sent.
struct DigestCredentials {
    let user: String
    let realm: String
    let nonce: String
    let uri: String
    let response: String
    /// The name of the algorithm; `MD5` if the field has none.
    let algorithm: String
    let qop: String?
    let cnonce: String?
    /// The eight digits of the nonce count; nil exactly if there is no `qop`.
    let countText: String?
    let count: UInt32?

    /// Parses a field; nil for another scheme, a missing or repeated parameter, and an invalid nonce count.
    init?(_ field: String) {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "digest",
            let parameters = Self.parameters(String(parts[1])), let user = Self.user(parameters),
            let realm = parameters["realm"], let nonce = parameters["nonce"], let uri = parameters["uri"],
            let response = parameters["response"]
        else { return nil }
        self.user = user
        self.realm = realm
        self.nonce = nonce
        self.uri = uri
        self.response = response
        algorithm = parameters["algorithm"] ?? "MD5"
        qop = parameters["qop"]
        cnonce = parameters["cnonce"]
        countText = parameters["nc"]
        count = countText.flatMap { $0.utf8.count == 8 ? UInt32($0, radix: 16) : nil }
        guard qop == nil ? countText == nil : count != nil && cnonce != nil else { return nil }
    }

    /// The scheme with this algorithm and `qop`, if a server accepts it.
    func scheme(among schemes: [SAPService.Scheme]) -> SAPService.Scheme? {
        schemes.first { scheme in
            guard case .digest(let algorithm, let session, let qualities) = scheme else { return false }
            let isOffered = qualities.isEmpty ? qop == nil : qualities.contains { $0.rawValue == qop }
            let name = algorithm.rawValue + (session ? "-sess" : "")
            return isOffered && name.lowercased() == self.algorithm.lowercased()
        }
    }

    /// `username`, or `username*` in the form of RFC 8187.
    private static func user(_ parameters: [String: String]) -> String? {
        guard let extended = parameters["username*"] else { return parameters["username"] }
        let prefix = "utf-8''"
        guard parameters["username"] == nil, extended.lowercased().hasPrefix(prefix) else { return nil }
        return String(extended.dropFirst(prefix.count)).removingPercentEncoding
    }

    /// A list of `name=token` and `name="text"` by lowercase names; nil if it is malformed or a name occurs twice.
    static func parameters(_ text: String) -> [String: String]? {
        var rest = Substring(text).unicodeScalars
        var parameters: [String: String] = [:]
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            guard !rest.isEmpty else { return parameters }
            let name = String(rest.prefix { $0 != "=" }).trimmingHTTPWhitespace.lowercased()
            guard let equals = rest.firstIndex(of: "="), name.isHTTPToken, parameters[name] == nil else { return nil }
            rest = rest[rest.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
            guard let value = takeValue(&rest) else { return nil }
            parameters[name] = value
        }
    }

    private static func takeValue(_ rest: inout Substring.UnicodeScalarView) -> String? {
        guard rest.first == "\"" else {
            let token = String(rest.prefix { $0 != "," && $0 != " " && $0 != "\t" })
            rest = rest.dropFirst(token.unicodeScalars.count)
            return token.isHTTPToken ? token : nil
        }
        rest.removeFirst()
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(value)
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped)
            default: value.append(scalar)
            }
        }
        return nil
    }
}
