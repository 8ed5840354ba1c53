public import HTTPMessages
import Dispatch
import Synchronization
public import Transport

/// The credentials of an authorizer: one per scope, obtained once however many calls wait for it.
///
/// ``Authorizing`` uses it. Share one between several transports, or ask it for a credential directly:
///
/// ```swift
/// let credentials = CredentialCache(tokens)
/// let token = try await credentials.credential(for: "items.read")
/// ```
///
/// A credential is replaced when it expires or a server rejects it. Meanwhile all calls of its scope wait (single
/// flight), and get the new credential or the error. Cancelling a call does not cancel the refresh.
public final class CredentialCache<A: Authorizer>: Sendable {
    /// Supplies the credentials.
    public let authorizer: A
    /// When credentials are replaced.
    public let policy: RefreshPolicy

    /// Creates an empty cache.
    /// - Parameter clock: measures lifetimes, windows and timeouts.
    public init(_ authorizer: A, policy: RefreshPolicy = .standard, clock: some Clock<Duration> = ContinuousClock()) {
        self.authorizer = authorizer
        self.policy = policy
        fatalError()
    }

    /// The credential of a scope: the cached one, or a new one.
    /// - Parameter timeout: maximum wait; nil waits as long as the authorizer takes.
    /// - Throws: the authorizer's errors; ``AuthenticationError`` (`tooManyRefreshes`); `TransportError` (`cancelled`,
    ///   `timedOut`).
    public func credential(for scope: A.Scope, timeout: Duration? = nil) async throws -> A.Credential { fatalError() }

    /// The cached credential of a scope, unless it has expired or was rejected.
    public func cachedCredential(for scope: A.Scope) -> A.Credential? { fatalError() }

    /// Stores a credential, such as one of a sign-in.
    public func insert(_ issued: IssuedCredential<A.Credential>, for scope: A.Scope) {}

    /// Removes the credential of a scope. A refresh in flight completes for the calls that wait, and is not cached.
    public func remove(_ scope: A.Scope) {}

    /// Removes all credentials, and forgets earlier failures; see ``remove(_:)``.
    public func removeAll() {}
}
