public import HTTPMessages
public import Transport

/// The layer of this module as a modifier.
///
/// ```swift
/// let transport = URLSessionTransport.shared.redirecting().authorizing(with: tokens, at: origins).retrying(.standard)
/// ```
///
/// `Documentation/Layers.md` says which layer goes where, and why.
extension Transport {
    /// Adds credentials to requests, and replaces them when they expire or are rejected.
    /// - Parameters:
    ///   - authorizer: supplies the credentials.
    ///   - origins: the only origins that get a credential.
    ///   - policy: when credentials are replaced.
    ///   - clock: measures lifetimes and the total timeout.
    public func authorizing<A: Authorizer>(
        with authorizer: A, at origins: AllowedOrigins, policy: RefreshPolicy = .standard,
        clock: some Clock<Duration> = ContinuousClock()
    ) -> Authorizing<Self, A> {
        Authorizing(base: self, credentials: CredentialCache(authorizer, policy: policy, clock: clock), at: origins)
    }

    /// Adds the credentials of a user.
    ///
    /// Not generic, so that `with: .password { prompt in ... }` compiles: in the generic method a closure of a static
    /// member loses its `@Sendable` (Swift 6.3).
    /// - Parameters: as those of the generic method.
    public func authorizing(
        with authorizer: PasswordAuthorizer, at origins: AllowedOrigins, policy: RefreshPolicy = .standard,
        clock: some Clock<Duration> = ContinuousClock()
    ) -> Authorizing<Self, PasswordAuthorizer> {
        Authorizing(base: self, credentials: CredentialCache(authorizer, policy: policy, clock: clock), at: origins)
    }

    /// Adds bearer tokens.
    ///
    /// Not generic, so that `with: .bearer { ... }` compiles, as for a ``PasswordAuthorizer``.
    /// - Parameters: as those of the generic method.
    public func authorizing(
        with authorizer: BearerAuthorizer, at origins: AllowedOrigins, policy: RefreshPolicy = .standard,
        clock: some Clock<Duration> = ContinuousClock()
    ) -> Authorizing<Self, BearerAuthorizer> {
        Authorizing(base: self, credentials: CredentialCache(authorizer, policy: policy, clock: clock), at: origins)
    }

    /// Adds credentials of a cache, which several transports may share.
    /// - Parameter origins: the only origins that get a credential.
    public func authorizing<A: Authorizer>(
        with credentials: CredentialCache<A>, at origins: AllowedOrigins
    ) -> Authorizing<Self, A> {
        Authorizing(base: self, credentials: credentials, at: origins)
    }
}
