public import HTTPMessages
public import PatchbayErrors

/// Supplies the credentials of requests: Basic, a bearer token, OAuth 2.0, or a scheme of your own.
///
/// ``Authorizing`` sends the requests, and a ``CredentialCache`` keeps the credentials and calls the authorizer: it
/// obtains one credential per scope at a time, however many requests need it.
///
/// ```swift
/// struct SessionKeys: Authorizer {
///     func scope(of request: HTTPRequest) -> String? { "session" }
///     func authorize(_ request: inout HTTPRequest, with key: String) throws {
///         try request.fields.set("X-Session", to: key)
///     }
///     func obtain(_ need: CredentialNeed<String, String>) async throws -> IssuedCredential<String> {
///         IssuedCredential(try await signIn(), lifetime: .seconds(600))
///     }
/// }
/// ```
///
/// Every method may run on any thread, and all except ``obtain(_:)`` run for each request: they must be fast.
public protocol Authorizer: Sendable {
    /// The name of a credential: requests with equal scopes share one.
    associatedtype Scope: Hashable & Sendable
    /// A credential. Its description must not contain secrets.
    associatedtype Credential: Sendable

    /// Maximum number of times that one call is sent again after a challenge; default 1.
    var maximumReplays: Int { get }

    /// Whether a credential holds for the URL of its request only, as with Digest and DPoP.
    ///
    /// Default: false. True puts the layer inside redirects in a `Stack`, so that each target gets its own.
    var authorizesEachURL: Bool { get }

    /// The scope of a request; nil sends it without a credential, until a challenge asks for one.
    func scope(of request: HTTPRequest) -> Scope?

    /// Whether a cached credential may still be used; false obtains another one.
    ///
    /// Default: true. For authorizers whose credentials are kept elsewhere too, where they can be removed or replaced.
    func isCurrent(_ credential: Credential, for scope: Scope) -> Bool

    /// Adds a credential to a request.
    /// - Throws: an error if the credential cannot be sent; the call fails with it.
    func authorize(_ request: inout HTTPRequest, with credential: Credential) throws

    /// What identifies the user of a credential, for a cache below: requests with equal texts share cached responses.
    ///
    /// It has to be the same for each credential of the user, also after a restart, and another one for each other
    /// user. A cache stores a keyed hash of it. Default: nil, the credential cannot say which user it is for; then only
    /// requests with the same credential share responses.
    func cacheUser(of credential: Credential, for scope: Scope) -> String?

    /// The last credential of a scope, also one that has expired, without asking a server or the user.
    ///
    /// It says to a cache below whose stored responses a request may have while no valid credential can be obtained,
    /// such as offline after a restart. Default: nil; then only credentials of this process say it.
    func lastCredential(for scope: Scope) async -> Credential?

    /// Decides what a response asks for. Only responses of the request's own origin are passed.
    ///
    /// Default: status 401 asks for another credential of the same scope, if the request has a scope.
    /// - Parameters:
    ///   - request: the request before a credential was added.
    ///   - scope: the scope of the credential that was sent; nil if none was.
    func reaction(
        to response: HTTPResponseHead, of request: HTTPRequest, scope: Scope?
    ) -> ChallengeReaction<Scope>

    /// Decides what a response asks for, for schemes that must know what was sent. Only responses of the request's own
    /// origin are passed.
    ///
    /// Default: ``reaction(to:of:scope:)``.
    /// - Parameters:
    ///   - request: the request before a credential was added.
    ///   - attempt: the request as it was sent.
    ///   - scope: the scope of the credential that was sent; nil if none was.
    func reaction(
        to response: HTTPResponseHead, of request: HTTPRequest, attempt: HTTPRequest, scope: Scope?
    ) -> ChallengeReaction<Scope>

    /// Verifies a response that is returned to the caller, for schemes in which the server proves its identity.
    ///
    /// Default: nil. Called only for requests with a credential.
    /// - Parameter attempt: the request as it was sent.
    /// - Returns: what is left to verify with the body; nil if nothing is.
    /// - Throws: an error if the response is not authentic; the call fails with it.
    func verification(of response: HTTPResponseHead, to attempt: HTTPRequest) throws -> ResponseVerification?

    /// Obtains a credential: from a server, the user or a store.
    ///
    /// The cache calls it once at a time per scope, in a task that no caller's cancellation cancels. It is cancelled
    /// when the credential has been removed or replaced meanwhile and no call waits for it: then ask the user nothing.
    /// The requests that it sends through the same layer must have ``HTTPMessages/RequestOptions/skipsAuthorization``.
    /// - Throws: any error; every waiting call fails with it.
    func obtain(_ need: CredentialNeed<Scope, Credential>) async throws -> IssuedCredential<Credential>

    /// Forgets what the authorizer itself keeps of its users, such as a password, so that the next one is asked.
    ///
    /// Default: nothing. ``CredentialCache/removeAll()`` calls it at a sign-out, after it has removed its credentials.
    func forgetUsers()
}

extension Authorizer {
    /// Default: 1.
    public var maximumReplays: Int { 1 }

    /// Default: false.
    public var authorizesEachURL: Bool { false }

    /// Default: true.
    public func isCurrent(_ credential: Credential, for scope: Scope) -> Bool { true }

    /// Default: nil.
    public func cacheUser(of credential: Credential, for scope: Scope) -> String? { nil }

    /// Default: nil.
    public func lastCredential(for scope: Scope) async -> Credential? { nil }

    /// Default: status 401 asks for another credential of the same scope.
    public func reaction(
        to response: HTTPResponseHead, of request: HTTPRequest, scope: Scope?
    ) -> ChallengeReaction<Scope> {
        guard response.status == .unauthorized, let scope = scope ?? self.scope(of: request) else { return .deliver }
        return .authorize(scope)
    }

    /// Default: ``reaction(to:of:scope:)``.
    public func reaction(
        to response: HTTPResponseHead, of request: HTTPRequest, attempt: HTTPRequest, scope: Scope?
    ) -> ChallengeReaction<Scope> {
        reaction(to: response, of: request, scope: scope)
    }

    /// Default: nothing.
    public func forgetUsers() {}

    /// Default: nil.
    public func verification(of response: HTTPResponseHead, to attempt: HTTPRequest) -> ResponseVerification? { nil }
}

/// What to do with a response.
@nonexhaustive public enum ChallengeReaction<Scope: Hashable & Sendable>: Hashable, Sendable {
    /// Returns the response to the caller: it is not a challenge.
    case deliver
    /// Sends the request again with a credential of this scope, other than the one that was sent.
    case authorize(Scope)
    /// Sends the request again with the same credential of this scope, authorized again: what was sent with it was out
    /// of date, such as a nonce.
    case replay(Scope)

    /// The scope for which the request is sent again; nil if it is not.
    var scope: Scope? {
        switch self {
        case .deliver: nil
        case .authorize(let scope), .replay(let scope): scope
        }
    }
}

/// A request for a credential.
public struct CredentialNeed<Scope: Hashable & Sendable, Credential: Sendable>: Sendable {
    /// The scope of the credential.
    public let scope: Scope
    /// The expired or rejected credential; nil for the first one.
    public let previous: Credential?
    /// The response that rejected ``previous`` or asked for a credential; nil without one.
    public let challenge: HTTPResponseHead?

    /// Creates a need.
    public init(scope: Scope, previous: Credential? = nil, challenge: HTTPResponseHead? = nil) {
        self.scope = scope
        self.previous = previous
        self.challenge = challenge
    }
}

/// A credential with the time for which it is valid.
public struct IssuedCredential<Credential: Sendable>: Sendable {
    /// The credential.
    public let credential: Credential
    /// The time from now to its expiry; nil if unknown or unlimited. Zero or less: for the waiting requests only.
    public let lifetime: Duration?
    /// Its user, as the authorizer names it for a cache.
    var cacheUser: String?

    /// Creates an issued credential.
    public init(_ credential: Credential, lifetime: Duration? = nil) {
        self.credential = credential
        self.lifetime = lifetime
    }
}

extension CredentialNeed: RedactedStringConvertible {
    /// The scope and the challenge, without the credential.
    public var description: String {
        "\(previous == nil ? "first" : "another") credential for scope \"\(scope)\""
            + (challenge.map { " after \($0)" } ?? "")
    }
}

extension IssuedCredential: RedactedStringConvertible {
    /// The lifetime, without the credential.
    public var description: String { lifetime.map { "credential for \($0.secondsText)" } ?? "credential" }
}
