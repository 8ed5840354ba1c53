public import Authentication
public import Connectivity
public import HTTPCaching
public import HTTPMessages
public import Queueing
public import Signing
public import Transport

extension Stack {
    /// The stack of an app without special needs: over ``/Transport/URLSessionTransport/shared``, it follows redirects
    /// and retries requests that are safe to send twice, up to three attempts. No cookies are kept.
    public static let standard = standard(over: URLSessionTransport.shared)

    /// The layers of ``standard`` over another engine.
    /// - Parameter clock: measures timeouts and waits.
    public static func standard(
        over engine: some Transport, clock: some Clock<Duration> = ContinuousClock()
    ) -> Stack {
        Stack(over: engine, clock: clock).redirecting().retrying(.standard)
    }

    /// Follows redirects.
    public func redirecting(_ policy: RedirectPolicy = .standard) -> Stack {
        replacing(.redirecting) { AnyTransport($0.redirecting(policy, clock: $1)) }
    }

    /// Stores the cookies of responses, and sends them with requests.
    public func keepingCookies(in jar: CookieJar = CookieJar()) -> Stack {
        replacing(.keepingCookies) { base, _ in AnyTransport(base.keepingCookies(in: jar)) }
    }

    /// Compresses the bodies of requests to servers whose responses name a coding in `Accept-Encoding`.
    public func compressingRequests(_ codings: AcceptedCodings = AcceptedCodings()) -> Stack {
        replacing(.compressingRequests) { AnyTransport($0.compressingRequests(codings, clock: $1)) }
    }

    /// Signs each request as it is sent.
    /// - Parameters:
    ///   - signer: `.httpMessageSignature(...)`, `.awsV4(...)`, or your own.
    ///   - origins: the only origins whose requests are signed; nil signs every request that no redirect has led to
    ///     another origin.
    ///   - clock: the time of the signatures, which follows the server's.
    public func signing(
        _ signer: some RequestSigner, at origins: AllowedOrigins? = nil, clock: ServerClock = ServerClock()
    ) -> Stack {
        let owner = BaseURLOwner()
        return replacing(.signing, owner: origins?.isBaseURL == true ? owner : nil) { base, monotonic in
            AnyTransport(
                SigningRequests(
                    base: base, signer: signer, at: origins, clock: clock, owner: owner, monotonic: monotonic))
        }
    }

    /// Retries failed requests.
    /// - Parameters:
    ///   - strategy: which failures are retried, after which wait, and how often; default up to three attempts.
    ///   - idempotencyKey: makes the `Idempotency-Key` of requests that are not safe to send twice without one; by
    ///     default they are retried only if an attempt is known to be unprocessed
    ///     (`AttemptResult.isKnownUnprocessed`). All attempts of a call share it.
    public func retrying(
        _ strategy: some RetryStrategy = StandardRetry.standard, idempotencyKey: (@Sendable () -> String)? = nil
    ) -> Stack {
        replacing(.retrying) { base, clock in
            AnyTransport(Retrying(base: base, strategy: strategy, idempotencyKey: idempotencyKey, clock: clock))
        }
    }

    /// Sends requests through a queue, which several stacks may share.
    public func queued(
        in queue: RequestQueue = RequestQueue(), cancellationScope: CancellationScope = .tagged
    ) -> Stack {
        replacing(.queued) { base, _ in AnyTransport(base.queued(in: queue, cancellationScope: cancellationScope)) }
    }

    /// Sends an idempotent request again when its response is late, and takes the first response.
    public func hedging(after delay: Duration, maximumAttempts: Int = 2) -> Stack {
        replacing(.hedging) { base, clock in
            AnyTransport(base.hedging(after: delay, maximumAttempts: maximumAttempts, clock: clock))
        }
    }

    /// Holds calls that failed for lack of a network, and sends them again when there is one.
    public func waitingForConnectivity(_ network: some NetworkMonitor) -> Stack {
        replacing(.connectivity) { AnyTransport($0.waitingForConnectivity(network, clock: $1)) }
    }

    /// Fails fast while an origin is failing.
    public func circuitBreaking(_ policy: CircuitPolicy = CircuitPolicy()) -> Stack {
        replacing(.circuitBreaking) { AnyTransport($0.circuitBreaking(policy, clock: $1)) }
    }

    /// Sends calls to one of several hosts, and moves on to another one when a host fails.
    public func balancing(over hosts: HostList) -> Stack {
        replacing(.balancing) { AnyTransport($0.balancing(over: hosts, clock: $1)) }
    }

    /// Limits how often requests are sent, and keeps to the limits that the server tells.
    public func limiting(to limit: RateLimit, by key: RateLimitKey = .origin) -> Stack {
        replacing(.limiting) { AnyTransport($0.limiting(to: limit, by: key, clock: $1)) }
    }

    /// Limits how often requests are sent, by a limiter that several stacks may share.
    public func limiting(by limiter: RateLimiter) -> Stack {
        replacing(.limiting) { base, _ in AnyTransport(base.limiting(by: limiter)) }
    }

    /// Limits the bytes of bodies per second.
    public func limitingBandwidth(_ bandwidth: Bandwidth = .unlimited) -> Stack {
        replacing(.limitingBandwidth) { AnyTransport($0.limitingBandwidth(bandwidth, clock: $1)) }
    }

    /// Limits the bytes of bodies per second, by a limiter that several stacks may share.
    public func limitingBandwidth(by limiter: BandwidthLimiter) -> Stack {
        replacing(.limitingBandwidth) { base, _ in AnyTransport(base.limitingBandwidth(by: limiter)) }
    }

    /// Answers requests from a new cache in memory, which measures ages by the stack's clock.
    public func caching() -> Stack { caching(in: HTTPCache(on: monotonicClock)) }

    // No default and no optional: the method of all transports, with a result outside of credentials, would be a better
    // match for the compiler.
    /// Answers requests from a cache, and stores responses in it.
    public func caching(in cache: HTTPCache) -> Stack {
        replacing(.caching) { base, _ in AnyTransport(base.caching(in: cache)) }
    }

    /// Sends equal requests that run at the same time only once.
    public func coalescing() -> Stack { replacing(.coalescing) { base, _ in AnyTransport(base.coalescing()) } }
}

// MARK: Credentials

extension Stack {
    /// Adds credentials to requests, and replaces them when they expire or are rejected.
    ///
    /// A second call for the same origins replaces the authorizer; one for others adds it. Let no two lists of origins
    /// overlap. Passwords, API keys and DPoP are below redirects (`authorizesEachURL`). For several users, one after
    /// the other, pass a `CredentialCache`, and call its `removeAll()` at each sign-out; with an `OAuthClient`, its
    /// `signOut()` before.
    /// - Parameters:
    ///   - authorizer: supplies the credentials.
    ///   - origins: the only origins that get a credential; `.baseURL` is that of the client.
    ///   - policy: when credentials are replaced.
    public func authorizing(
        with authorizer: some Authorizer, at origins: AllowedOrigins, policy: RefreshPolicy = .standard
    ) -> Stack {
        authorizing(with: CredentialCache(authorizer, policy: policy, on: monotonicClock), at: origins)
    }

    /// Adds the credentials of a user; `.password { prompt in ... }` compiles here.
    public func authorizing(
        with authorizer: PasswordAuthorizer, at origins: AllowedOrigins, policy: RefreshPolicy = .standard
    ) -> Stack {
        authorizing(with: CredentialCache(authorizer, policy: policy, on: monotonicClock), at: origins)
    }

    /// Adds bearer tokens; `.bearer { ... }` compiles here.
    public func authorizing(
        with authorizer: BearerAuthorizer, at origins: AllowedOrigins, policy: RefreshPolicy = .standard
    ) -> Stack {
        authorizing(with: CredentialCache(authorizer, policy: policy, on: monotonicClock), at: origins)
    }

    /// Adds credentials of a cache, which several stacks may share.
    public func authorizing<A: Authorizer>(with credentials: CredentialCache<A>, at origins: AllowedOrigins) -> Stack {
        let position: Position = credentials.authorizer.authorizesEachURL ? .authorizingEachURL : .authorizing
        let owner = origins.isBaseURL ? credentials.owner : nil
        return removingCredentials(of: origins).adding(position, origins: origins, owner: owner) { base, _ in
            AnyTransport(base.authorizing(with: credentials, at: origins))
        }
    }
}

// MARK: Layers of the app

/// How often a layer of the app runs.
@nonexhaustive public enum LayerScope: Hashable, Sendable {
    /// Once for each call, outside of retries and of `coalescing`, which shares only requests that are equal then.
    case eachCall
    /// Once for each attempt, outside of credentials: it does not see them. Replays of a rejected credential and
    /// redirects are inside.
    case eachAttempt
}

extension Stack {
    /// Adds a layer of the app, outside those of the same scope that were added before.
    ///
    /// ```swift
    /// let stack = Stack.standard.layer { Stamped(base: $0) }
    /// ```
    /// - Parameter layer: makes the layer over its base; called whenever the stack is changed.
    public func layer<Layered: Transport>(
        _ scope: LayerScope = .eachCall, _ layer: @escaping @Sendable (AnyTransport) -> Layered
    ) -> Stack {
        let name = "\(Layered.self)".prefix { $0 != "<" }
        return adding(scope, String(name), layer)
    }

    private func adding<Layered: Transport>(
        _ scope: LayerScope, _ name: String, _ layer: @escaping @Sendable (AnyTransport) -> Layered
    ) -> Stack {
        adding(scope == .eachCall ? .eachCall : .eachAttempt, name: name) { base, _ in AnyTransport(layer(base)) }
    }

    /// Changes each request before it is sent, such as by adding a field.
    public func modifyingRequests(
        _ scope: LayerScope = .eachCall, _ change: @escaping @Sendable (inout HTTPRequest) async throws -> Void
    ) -> Stack {
        adding(scope, "modifyingRequests") { $0.modifyingRequests(change) }
    }

    /// Calls a closure with the head of each response and its request, before the caller gets the response.
    public func onResponse(
        _ scope: LayerScope = .eachCall,
        _ inspect: @escaping @Sendable (HTTPResponseHead, HTTPRequest) async throws -> Void
    ) -> Stack {
        adding(scope, "onResponse") { $0.onResponse(inspect) }
    }
}
