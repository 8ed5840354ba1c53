import Foundation
import HTTPMessages

/// An issuer identifier: a URL without query and fragment (RFC 8414, section 2).
struct Issuer {
    /// The identifier, compared character by character.
    let text: String
    private let parts: URLReference

    /// - Throws: ``SignInError`` (`invalidConfiguration`, `insecureURL`).
    init(_ text: String) throws(SignInError) {
        guard let request = try? HTTPRequest(.get, text), !text.contains("?"), !text.contains("#") else {
            throw SignInError(
                .invalidConfiguration,
                "Invalid issuer \(text.shown): use a URL without query, such as `https://login.example.com`.")
        }
        guard request.origin.protectsSecrets else {
            throw SignInError(
                .insecureURL, "Issuer \(text.shown) is http; use https, which proves that the server is the issuer.")
        }
        self.text = text
        parts = URLReference(text[...])
    }

    /// The URLs of the metadata, in the order in which they are asked.
    ///
    /// OpenID Connect appends to the issuer; RFC 8414, section 3.1, inserts before its path.
    var metadataURLs: [String] {
        let (path, origin) = (parts.path.last == "/" ? parts.path.dropLast() : parts.path, originText)
        let appended = "\(origin)\(path)/.well-known/openid-configuration"
        return [appended, "\(origin)/.well-known/oauth-authorization-server\(path)"]
    }

    private var originText: String { "\(parts.scheme ?? "https")://\(parts.authority ?? "")" }
}

extension String {
    /// The text in quotes, at most 200 characters on one line, for an error.
    var shown: String {
        let line = BodyExcerpt.text(of: Data(utf8.prefix(4096)), as: nil, limit: 200) ?? ""
        return "`\(line)`"
    }
}
