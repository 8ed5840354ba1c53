import Foundation
import HTTPMessages

/// The tokens in memory, and what the store has.
struct OAuthSessionState {
    /// Maximum numbers of access tokens, and of expired ones among them.
    static let (capacity, expiredCapacity) = (1000, 16)

    var isLoaded = false
    var tokens = TokenSet()
    /// What the store had when it was last read or written, to notice a change by another client.
    var stored: TokenSet?
    /// True from a sign-in or a sign-out until it is saved; what the store has is of the former user meanwhile.
    var isUnsaved = false
    /// The number of sign-ins and sign-outs.
    var changeCount = 0
    /// The scopes of ``tokens``, the least recently obtained first.
    var order: [OAuthScope] = []
    /// The server's refusal of the last refresh token.
    var refusal: AuthenticationError?

    /// Stores a token. Beyond the capacity, the least recently obtained one is dropped: tokens may never expire.
    /// Some expired ones stay: they say whose responses a cache may still give.
    mutating func set(_ token: OAuthToken, for scope: OAuthScope, now: Date) {
        tokens.removeExpired(at: now, except: Set(order.suffix(Self.expiredCapacity)))
        tokens.tokens[scope] = token
        // Those of an older version, and of an initial refresh token, have none.
        tokens.user = tokens.user ?? UUID().uuidString
        order = order.filter { $0 != scope && tokens.tokens[$0] != nil } + [scope]
        while order.count > Self.capacity { tokens.tokens[order.removeFirst()] = nil }
    }

    /// Removes the token that a response has rejected. Others, and one that was to be replaced early, may be good.
    mutating func removeRejected(_ need: CredentialNeed<OAuthScope, OAuthToken>) {
        guard need.challenge != nil, let rejected = need.previous?.value, tokens.tokens[need.scope]?.value == rejected
        else { return }
        tokens.tokens[need.scope] = nil
    }

    /// Replaces all tokens, such as by those of another user.
    mutating func replace(_ tokens: TokenSet) {
        self.tokens = tokens
        order = tokens.tokens.keys.sorted { $0.text < $1.text }
        refusal = nil
        isLoaded = true
    }
}
