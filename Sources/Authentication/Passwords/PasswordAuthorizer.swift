public import HTTPMessages
public import PatchbayErrors
import Transport

/// Basic and Digest authentication for ``Authorizing``, after the challenges of a server or a proxy.
///
/// ```swift
/// let transport = URLSessionTransport.shared
///     .authorizing(with: .password(user: "app", password: password), at: try AllowedOrigins("https://example.com"))
///     .redirecting()
/// ```
///
/// The first request is sent without a credential. After a challenge, the request is sent again, and later requests of
/// the protection space are authorized at once. Digest covers the request target, so put redirects above this layer.
///
/// With a fixed credential, the challenge is the response if the server rejects it, or offers no supported scheme. With
/// a prompt, the calls of one protection space share one prompt; if it returns nil, they fail with
/// ``AuthenticationError`` (`noCredential`), and a body that is a stream is sent without a credential.
public struct PasswordAuthorizer: Authorizer {
    /// The user is asked again up to three times in a call.
    public var maximumReplays: Int { 3 }

    /// True: Digest covers the target of each request.
    public var authorizesEachURL: Bool { true }

    /// The challenges and nonces, which copies share.
    public let authentication: PasswordAuthentication
    /// The credentials, which copies share. One that is removed or replaced here is not sent any more.
    public let store: CredentialStore
    private let recipient: BasicAuthorizer.Recipient
    private let fixed: PasswordCredential?
    private let ask: @Sendable (PasswordPrompt) async throws -> PasswordCredential?

    /// Creates an authorizer with a fixed credential.
    public init(
        _ credential: PasswordCredential, for recipient: BasicAuthorizer.Recipient = .server,
        authentication: PasswordAuthentication = PasswordAuthentication()
    ) {
        self.authentication = authentication
        self.recipient = recipient
        store = CredentialStore()
        fixed = credential
        ask = { _ in credential }
    }

    /// Creates an authorizer with a prompt.
    /// - Parameters:
    ///   - store: the credentials, which several transports may share.
    ///   - ask: returns a credential for a space, or nil if the user has none.
    public init(
        _ store: CredentialStore, for recipient: BasicAuthorizer.Recipient = .server,
        authentication: PasswordAuthentication = PasswordAuthentication(),
        ask: @escaping @Sendable (PasswordPrompt) async throws -> PasswordCredential?
    ) {
        self.authentication = authentication
        self.recipient = recipient
        self.store = store
        fixed = nil
        self.ask = ask
    }

    /// The space whose challenge is known, if there is a credential for it. A prompt comes first only for a body that
    /// is a stream, which cannot be sent again after it.
    public func scope(of request: HTTPRequest) -> ProtectionSpace? {
        let known: ProtectionSpace? =
            switch recipient {
            case .server: authentication.space(of: request, .server(request.origin))
            case .proxy: request.origin.isSecure ? nil : authentication.space(of: request, .proxy(nil))
            }
        guard let known else { return nil }
        return fixed != nil || !request.body.isReplayable || store.credential(for: known) != nil ? known : nil
    }

    /// False for a credential that the store has no longer.
    public func isCurrent(_ stored: StoredCredential, for space: ProtectionSpace) -> Bool {
        store.credential(for: space) == stored.credential
    }

    /// Sets the field `Authorization` or `Proxy-Authorization`.
    public func authorize(
        _ request: inout HTTPRequest, with stored: StoredCredential
    ) throws(AuthenticationError) {
        try authentication.authorizeIfKnown(&request, with: stored.credential, in: stored.space)
    }

    /// The space, the user and the password, for this process: a wrong password must not find what the right one has
    /// loaded, and no hash of one is stored. Nil for a proxy.
    public func cacheUser(of stored: StoredCredential, for space: ProtectionSpace) -> String? {
        guard recipient == .server else { return nil }
        return CachePartition.password("\(space)\n\(stored.credential.user)\n\(stored.credential.password)").text
    }

    /// Status 401 of a server and 407 of a proxy ask for a credential; after a stale challenge for the same one.
    public func reaction(
        to response: HTTPResponseHead, of request: HTTPRequest, attempt: HTTPRequest, scope: ProtectionSpace?
    ) -> ChallengeReaction<ProtectionSpace> {
        guard recipient == .server ? response.status == .unauthorized : response.isProxyChallenge,
            let challenge = try? authentication.challenge(in: response, of: attempt)
        else { return .deliver }
        if challenge.isStale {
            authentication.learn(challenge)
            return .replay(challenge.space)
        }
        if let rejected = challenge.rejected, rejected == fixed {
            // The next call is sent without a credential, and gets a new nonce.
            authentication.forget(challenge.space)
            return .deliver
        }
        authentication.learn(challenge)
        return .authorize(challenge.space)
    }

    /// Verifies the proof of Digest (`rspauth`).
    public func verification(
        of response: HTTPResponseHead, to attempt: HTTPRequest
    ) throws(AuthenticationError) -> ResponseVerification? {
        try authentication.verification(of: response, to: attempt)
    }

    /// Returns the credential of the store, or asks for one.
    /// - Throws: the errors of the prompt; ``AuthenticationError`` (`noCredential`).
    public func obtain(
        _ need: CredentialNeed<ProtectionSpace, StoredCredential>
    ) async throws -> IssuedCredential<StoredCredential> {
        let prompt = PasswordPrompt(space: need.scope, rejected: need.previous?.credential)
        let credential = try await RefreshDemand.whileAwaited {
            try await store.resolve(need.scope, rejected: prompt.rejected) { try await ask(prompt) }
        }
        guard let credential else {
            throw AuthenticationError(
                .noCredential, "No credential for \(need.scope): the prompt returned none; sign in and retry.",
                head: need.challenge)
        }
        return IssuedCredential(StoredCredential(credential, for: need.scope))
    }

    /// Empties ``store``, also for other transports that share it, and forgets the challenges and nonces.
    public func forgetUsers() {
        store.removeAll()
        authentication.removeAll()
    }
}

/// A question for a credential.
public struct PasswordPrompt: Hashable, Sendable {
    /// The protection space.
    public let space: ProtectionSpace
    /// The credential that the server rejected; nil for the first question.
    public let rejected: PasswordCredential?
}

extension PasswordAuthorizer: RedactedStringConvertible {
    /// The recipient, and whether the credential is fixed.
    public var description: String { "\(fixed == nil ? "passwords of a prompt" : "a password") for the \(recipient)" }
}

extension Authorizer where Self == PasswordAuthorizer {
    /// Basic or Digest, after the server's challenge, with a fixed user and password.
    public static func password(
        user: String, password: String, for recipient: BasicAuthorizer.Recipient = .server
    ) -> Self {
        PasswordAuthorizer(PasswordCredential(user: user, password: password), for: recipient)
    }

    /// Basic or Digest, after the server's challenge, with the credentials of a store and a prompt.
    public static func password(
        _ store: CredentialStore = CredentialStore(), for recipient: BasicAuthorizer.Recipient = .server,
        ask: @escaping @Sendable (PasswordPrompt) async throws -> PasswordCredential?
    ) -> Self {
        PasswordAuthorizer(store, for: recipient, ask: ask)
    }
}
