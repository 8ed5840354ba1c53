import Foundation
public import HTTPMessages
public import PatchbayErrors
import Transport

/// A fixed key of an API, in a header field or in the query of each request.
///
/// ```swift
/// let transport = URLSessionTransport.shared.authorizing(
///     with: try .apiKey(key, in: .query("apikey")), at: try AllowedOrigins("https://api.example.com"))
/// ```
///
/// Each request to the allowed origins gets the key: those of further pages and retries too, and those of redirects if
/// `redirecting` is outside, as in a `Stack`, until one leads to an origin that is not allowed. A challenge is
/// returned to the caller, as the key would be the same.
public struct APIKeyAuthorizer: Authorizer {
    /// Where the key is sent.
    public enum Place: Hashable, Sendable {
        /// In a field, such as `X-Api-Key`.
        case field(String)
        /// In an item of the query, such as `apikey`. It replaces items of the same name.
        ///
        /// Only under a name that is secret by `Redaction.standard`, such as `apikey`, `key`, `token` or
        /// `access_key`: URLs are part of descriptions and errors, which show the values of other names. Names such as
        /// `key1` and `ABCKey` have other meanings too, so a key in a query has none of them.
        case query(String)
    }

    /// Where the key is sent.
    public let place: Place
    private let name: HTTPFieldName
    private let key: String

    /// Creates an authorizer.
    /// - Throws: ``AuthenticationError`` (`invalidCredential`) for an empty key or one with a control character, and
    ///   for a name that is invalid or, in a query, not known as secret.
    public init(_ key: String, in place: Place) throws(AuthenticationError) {
        guard !key.isEmpty, key.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw AuthenticationError(
                .invalidCredential, "Invalid API key: empty, or with a line break or another control character.")
        }
        let text =
            switch place {
            case .field(let name), .query(let name): name
            }
        // A name of a query that is no token can be sent as well, but no API has one.
        guard let name = try? HTTPFieldName(text) else {
            throw AuthenticationError(
                .invalidCredential, "Invalid name for an API key: \"\(text.onOneLine)\" is not a name of a field.")
        }
        if case .query = place, !Redaction.standard.forDecisions.isSecret(text) {
            throw AuthenticationError(
                .invalidCredential,
                "Invalid name for an API key in a query: \"\(text)\" is not known as secret, so that errors may show "
                    + "the key; send it in a field, or under a name such as `apikey`, `key` or `token`.")
        }
        (self.place, self.name, self.key) = (place, name, key)
    }

    /// True: each URL gets the key, also one to which a redirect leads.
    public var authorizesEachURL: Bool { true }

    /// One scope.
    public func scope(of request: HTTPRequest) -> SingleScope? { SingleScope() }

    /// Sets the field or the item.
    public func authorize(_ request: inout HTTPRequest, with credential: APIKeyAuthorizer) throws {
        switch credential.place {
        case .field: try request.fields.set(credential.name, to: credential.key)
        case .query(let name): try request.setURL(Self.url(request.url, setting: name, to: credential.key))
        }
    }

    /// Returns the response to the caller.
    public func reaction(
        to response: HTTPResponseHead, of request: HTTPRequest, scope: SingleScope?
    ) -> ChallengeReaction<SingleScope> { .deliver }

    /// Returns the key.
    public func obtain(
        _ need: CredentialNeed<SingleScope, APIKeyAuthorizer>
    ) async throws -> IssuedCredential<APIKeyAuthorizer> { IssuedCredential(self) }

    /// Leaves the other items as they are written.
    private static func url(_ url: URL, setting name: String, to value: String) throws -> URL {
        // A fragment is not sent.
        let text = url.absoluteString.prefix { $0 != "#" }
        let mark = text.firstIndex(of: "?") ?? text.endIndex
        let items = text[mark...].dropFirst().split(separator: "&").filter { item in
            let other = item.prefix { $0 != "=" }
            return (other.removingPercentEncoding ?? String(other)) != name
        }
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        let item = [name, value].map { $0.addingPercentEncoding(withAllowedCharacters: plain) ?? "" }
        return try URL(
            httpString: text[..<mark] + "?"
                + (items.map(String.init) + [item.joined(separator: "=")]).joined(separator: "&"))
    }
}

extension APIKeyAuthorizer: RedactedStringConvertible {
    /// The place of the key.
    public var description: String {
        switch place {
        case .field(let name): "an API key in the field \(name)"
        case .query(let name): "an API key in the query item \(name)"
        }
    }
}

extension Authorizer where Self == APIKeyAuthorizer {
    /// A fixed key of an API, in a field or in the query.
    /// - Throws: ``AuthenticationError`` (`invalidCredential`).
    public static func apiKey(_ key: String, in place: APIKeyAuthorizer.Place) throws(AuthenticationError) -> Self {
        try APIKeyAuthorizer(key, in: place)
    }
}
