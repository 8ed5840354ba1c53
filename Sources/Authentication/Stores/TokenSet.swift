import Foundation
public import PatchbayErrors

/// The tokens of one OAuth client: one access token per scope, and the refresh token.
public struct TokenSet: Hashable, Sendable {
    /// The access tokens by the requested scope.
    public var tokens: [OAuthScope: OAuthToken]
    /// The latest refresh token; nil without one.
    public var refreshToken: String?
    /// An identifier that is made at a sign-in, for caches; it says nothing about the user.
    var user: String?

    /// Creates a set.
    public init(tokens: [OAuthScope: OAuthToken] = [:], refreshToken: String? = nil) {
        self.tokens = tokens
        self.refreshToken = refreshToken
    }

    /// True without tokens, as after a sign-out.
    public var isEmpty: Bool { tokens.isEmpty && refreshToken == nil }

    /// True if both have the same access tokens for the same scopes, and the same refresh token. Expiries are not
    /// compared, which a store may round.
    public func hasSameTokens(as other: TokenSet) -> Bool {
        refreshToken == other.refreshToken && tokens.mapValues(\.value) == other.tokens.mapValues(\.value)
    }

    /// True if both are nil, or have the same tokens.
    static func areSame(_ left: TokenSet?, _ right: TokenSet?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.hasSameTokens(as: right)
    }

    /// Removes the access tokens that have expired, except for those of some scopes.
    mutating func removeExpired(at date: Date, except kept: Set<OAuthScope> = []) {
        tokens = tokens.filter { kept.contains($0) || $1.lifetime(at: date).map { $0 > .zero } ?? true }
    }
}

extension TokenSet: RedactedStringConvertible {
    /// The number of tokens.
    public var description: String {
        "\(tokens.count) access tokens, \(refreshToken == nil ? "no refresh token" : "a refresh token")"
    }
}

extension TokenSet: Codable {
    private enum Key: String, CodingKey { case version, refreshToken, user, tokens }
    private struct Stored: Codable {
        let requested: OAuthScope
        let granted: OAuthScope
        let value: String
        let expiry: Date?
    }
    private static let version = 1

    /// Reads the tokens.
    /// - Throws: ``AuthenticationError`` (`tokenStore`) for another version of the format; `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let version = try container.decode(Int.self, forKey: .version)
        guard version == Self.version else {
            throw AuthenticationError(
                .tokenStore,
                "Unknown version \(version) of the stored tokens (supported: \(Self.version)); update the app, or delete "
                    + "them and sign in again.")
        }
        self.init(refreshToken: try container.decodeIfPresent(String.self, forKey: .refreshToken))
        user = try container.decodeIfPresent(String.self, forKey: .user)
        for token in try container.decode([Stored].self, forKey: .tokens) {
            tokens[token.requested] = try OAuthToken(token.value, scope: token.granted, expiry: token.expiry)
        }
    }

    /// Writes the tokens, which are secret.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(Self.version, forKey: .version)
        try container.encodeIfPresent(refreshToken, forKey: .refreshToken)
        try container.encodeIfPresent(user, forKey: .user)
        try container.encode(
            tokens.sorted { $0.key.text < $1.key.text }.map {
                Stored(requested: $0.key, granted: $0.value.scope, value: $0.value.value, expiry: $0.value.expiry)
            }, forKey: .tokens)
    }
}
