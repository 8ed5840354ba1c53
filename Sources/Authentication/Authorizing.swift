import Coordination
public import HTTPMessages
public import Transport

/// A layer that adds credentials to requests, and replaces them when they expire or a server rejects them.
///
/// ```swift
/// let origins = try AllowedOrigins("https://api.example.com")
/// let transport = URLSessionTransport.shared.authorizing(with: tokens, at: origins)
/// ```
///
/// When a response is a challenge, such as status 401, the layer obtains a new credential and sends the request again,
/// usually once (``Authorizer/maximumReplays``). Concurrent calls share one refresh; see ``CredentialCache``. When the
/// refresh fails, its error is thrown.
///
/// The challenge itself is the response when the request body is a stream, which cannot be sent again, after the last
/// replay, and when too many refreshes failed (``RefreshPolicy/maximumFailures``). The next call gets a new credential.
///
/// While a credential cannot be obtained for lack of a network, a request of a safe method is sent with the last one:
/// so a cache below knows the user and can respond. If the server challenges it, the error of the refresh is thrown.
/// With the cache policies `onlyIfCached` and `preferCached` the last one comes first.
///
/// Only the allowed origins get credentials. Requests to other origins, those to which a redirect or a page of such an
/// origin has led, and those with ``HTTPMessages/RequestOptions/skipsAuthorization``, are sent unchanged. A credential
/// replaces a field of the same name. A request that the authorizer sends through this layer while it obtains a
/// credential never waits for that credential: it is sent without one.
///
/// The total timeout spans all attempts and the wait for the credential. Each attempt starts its events from zero.
public struct Authorizing<Base: Transport, A: Authorizer>: Transport {
    /// The transport that sends each attempt.
    public let base: Base
    /// The credentials, which copies of this layer share.
    public let credentials: CredentialCache<A>
    /// The only origins that get a credential.
    public let origins: AllowedOrigins

    /// Creates a layer over a transport.
    public init(base: Base, credentials: CredentialCache<A>, at origins: AllowedOrigins) {
        self.base = base
        self.credentials = credentials
        self.origins = origins
    }

    /// Sends a request with a credential.
    /// - Throws: the base's errors; the authorizer's errors; ``AuthenticationError`` (`tooManyRefreshes`, `signedOut`);
    ///   `TransportError` (`cancelled`, `timedOut`) while the call waits for a credential.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        guard needsCredential(request) else {
            return explained(try await base.send(request, observer: observer), to: request)
        }
        let (now, signOut) = (credentials.clock.now, request.options.call?.lastSignOut ?? credentials.lastSignOut)
        var request = request
        let call = request.options.openCall()
        defer { call.close() }
        var attempt = request
        let lease = try credentials.authorize(&attempt, now: now)
        try checkUser(lease, of: request, since: signOut)
        // Almost always there is a credential, and the server accepts it.
        guard let lease else {
            return try await complete(request, observer, started: now, signOut) {
                try await base.send($0, observer: observer)
            }
        }
        let first: ChallengeResult<HTTPResponse>
        do {
            let response = try await base.send(attempt, observer: observer)
            if lease.isAccepted, response.status.isSuccessful { return try verified(response, of: attempt) }
            first = ChallengeResult(response)
        } catch {
            first = try ChallengeResult(error, of: request, sentAs: attempt)
        }
        return try await complete(request, observer, started: now, signOut, first: (first, attempt), lease: lease) {
            try await base.send($0, observer: observer)
        }
    }

    private func needsCredential(_ request: HTTPRequest) -> Bool {
        origins.allows(request, owner: credentials.owner) && !request.options.skipsAuthorization
    }

    /// Throws if a call began before a sign-out, and its credential was obtained after it.
    private func checkUser(_ lease: CredentialCache<A>.Lease?, of request: HTTPRequest, since signOut: Int) throws {
        if let lease, lease.signOut > signOut { throw CredentialCache<A>.signedOut(request) }
    }

    /// A 401 to a request without a credential says why it had none.
    private func explained<Response: HTTPResponseProtocol>(_ response: Response, to request: HTTPRequest) -> Response {
        guard response.head.status == .unauthorized, !request.options.skipsAuthorization,
            response.head.wasAuthorized != true, !request.fields.contains(.authorization)
        else { return response }
        var response = response
        var allowed = "\(origins)"
        if origins.isBaseURL {
            let owner = credentials.owner.origin
            if owner == nil { response.head.wasAuthorized = false }
            allowed +=
                owner.map { " \($0.text)" }
                ?? " of a client made over the `Stack` itself, and there is none; make it first, or list the origin"
        }
        if origins.contains(request, owner: credentials.owner) { allowed += ", if no other origin has led there" }
        response.head.notes.append("no credential was sent to \(request.origin.text): allowed is \(allowed)")
        return response
    }

    /// Sends a request until its response is no challenge.
    /// - Parameters:
    ///   - signOut: the ``CredentialCache/lastSignOut`` at the start: a call does not become one of another user.
    ///   - first: the response to the first attempt and that attempt, if it was sent.
    ///   - lease: the credential of that attempt.
    private func complete<Response: VerifiableResponse>(
        _ request: HTTPRequest, _ observer: (any TransferObserver)?, started: Duration, _ signOut: Int,
        first: (ChallengeResult<Response>, attempt: HTTPRequest)? = nil,
        lease: CredentialCache<A>.Lease? = nil, _ send: (HTTPRequest) async throws -> Response
    ) async throws -> Response {
        let authorizer = credentials.authorizer
        let limit = WaitLimit(request, started: started)
        // The scope that was sent: another call may have learned another one since.
        var (scope, lease, first) = (lease?.scope ?? authorizer.scope(of: request), lease, first)
        var attempt = first?.attempt ?? request
        var failure: (any Error)?
        if first == nil, let scope, !credentials.isRefreshing {
            (lease, failure) = try await firstLease(for: scope, limit, request, observer)
            try checkUser(lease, of: request, since: signOut)
            try reduceTotal(of: &attempt, to: limit)
        }
        var replays = authorizer.maximumReplays
        while true {
            if first == nil, let lease { try credentials.add(lease.credential, of: lease.scope, to: &attempt) }
            let result: ChallengeResult<Response>
            if let (response, _) = first.take() {
                result = response
            } else {
                result = try await ChallengeResult(of: request, sentAs: attempt, by: send)
            }
            let reaction = self.reaction(to: result.head, of: request, attempt, scope)
            guard let wanted = reaction.scope else {
                if let lease, let scope, !lease.isAccepted, result.head.status.code < 400 {
                    credentials.accept(lease, of: scope)
                }
                var response = try result.response.get()
                if lease == nil { return response }
                if !response.head.status.isSuccessful { response.head.wasAuthorized = true }
                return try verified(response, of: attempt)
            }
            // Another scope needs another credential, but the one that was sent is still good.
            let isRejected = reaction == .authorize(wanted) && wanted == scope
            let mayRefresh = credentials.reject(isRejected ? lease : nil, of: wanted)
            guard mayRefresh, replays > 0, request.body.isReplayable, !credentials.isRefreshing,
                credentials.lastSignOut <= signOut
            else {
                return try result.response.get()
            }
            if let failure { throw failure }
            replays -= 1
            observer?.report(ChallengeEvent(result.head.status))
            // Before the wait: the token request may need the connection.
            try? await result.response.get().discard(
                until: credentials.clock.now + .seconds(1), on: credentials.clock)
            scope = wanted
            lease = try await wait(for: wanted, result.head, limit, request, observer)
            try checkUser(lease, of: request, since: signOut)
            attempt = request
            attempt.options.attemptReason = .challenge
            try reduceTotal(of: &attempt, to: limit)
        }
    }

    /// The credential of the first attempt: a valid one, or the last one for a request that a cache may answer.
    ///
    /// The last one says whose stored response it may be. If the cache has none, the server rejects it.
    /// - Returns: the credential, and the error because of which it is the last one; no credential for a stream that
    ///   goes without one.
    private func firstLease(
        for scope: A.Scope, _ limit: WaitLimit?, _ request: HTTPRequest, _ observer: (any TransferObserver)?
    ) async throws -> (CredentialCache<A>.Lease?, failure: (any Error)?) {
        let policy = request.options.cachePolicy
        if policy == .onlyIfCached || policy == .preferCached {
            let last = await credentials.lastLease(scope)
            if last != nil || policy == .onlyIfCached { return (last, nil) }
        }
        do {
            return (try await wait(for: scope, nil, limit, request, observer), nil)
        } catch let error as AuthenticationError where mayGoWithout(request, error) {
            return (nil, nil)
        } catch  where error.isWithoutResponse && !error.isCancellation && request.method.isSafe {
            guard request.body.isReplayable, let last = await credentials.lastLease(scope) else { throw error }
            return (last, error)
        }
    }

    /// True if the request waits for a credential before its challenge only because its body is a stream.
    private func mayGoWithout(_ request: HTTPRequest, _ error: AuthenticationError) -> Bool {
        var other = request
        guard error.code == .noCredential || error.code == .tooManyRefreshes, !request.body.isReplayable,
            (try? other.setBody(.empty)) != nil
        else { return false }
        return credentials.authorizer.scope(of: other) == nil
    }

    /// Waits for a credential, and reports how long.
    private func wait(
        for scope: A.Scope, _ challenge: HTTPResponseHead?, _ limit: WaitLimit?, _ request: HTTPRequest,
        _ observer: (any TransferObserver)?
    ) async throws -> CredentialCache<A>.Lease {
        let (clock, start) = (credentials.clock, credentials.clock.now)
        do {
            let lease = try await credentials.wait(
                for: scope, challenge: challenge, limit: limit, request: request)
            observer?.report(CredentialEvent(wait: clock.now - start, isObtained: true))
            return lease
        } catch {
            observer?.report(CredentialEvent(wait: clock.now - start, isObtained: false))
            guard var failure = error as? TransportError else { throw error }
            // That of the authorizer's request would be taken for the response to this one.
            failure.head = nil
            // Only a layer that retries lists attempts, also a single one that it did not repeat.
            if !failure.attempts.isEmpty { failure.isExhausted = true }
            throw failure
        }
    }

    /// What a response asks for; nothing if a redirect on the way to it led to another origin.
    private func reaction(
        to head: HTTPResponseHead, of request: HTTPRequest, _ attempt: HTTPRequest, _ scope: A.Scope?
    ) -> ChallengeReaction<A.Scope> {
        guard !head.status.isSuccessful, head.stayed(at: request.origin) else { return .deliver }
        return credentials.authorizer.reaction(to: head, of: request, attempt: attempt, scope: scope)
    }

    /// Verifies a response to a request with a credential.
    private func verified<Response: VerifiableResponse>(
        _ response: Response, of attempt: HTTPRequest
    ) throws -> Response {
        guard let verification = try credentials.authorizer.verification(of: response.head, to: attempt) else {
            return response
        }
        return try response.verified(by: verification)
    }

    /// Reduces the total timeout to the rest of it.
    private func reduceTotal(of request: inout HTTPRequest, to limit: WaitLimit?) throws {
        guard let limit else { return }
        let rest = limit.deadline - credentials.clock.now
        guard rest > .zero else { throw limit.error(request) }
        request.options.timeouts.reduceTotal(to: rest)
    }
}

extension Authorizing: BaseURLClaiming {
    package func claimBaseURL(_ origin: Origin) { if origins.isBaseURL { credentials.owner.claim(origin) } }
}

extension Authorizing: StreamingTransport where Base: StreamingTransport {
    /// Sends a request with a credential, and streams the body of its final response.
    ///
    /// The body of a challenge is read and dropped if it is short and arrives within a second, so its connection can be
    /// reused.
    /// - Throws: as ``send(_:observer:)``, before the head arrives.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        guard needsCredential(request) else {
            return explained(try await base.stream(request, observer: observer), to: request)
        }
        let (now, signOut) = (credentials.clock.now, request.options.call?.lastSignOut ?? credentials.lastSignOut)
        var request = request
        let call = request.options.openCall()
        defer { call.close() }
        var attempt = request
        let lease = try credentials.authorize(&attempt, now: now)
        try checkUser(lease, of: request, since: signOut)
        guard let lease else {
            return try await complete(request, observer, started: now, signOut) {
                try await base.stream($0, observer: observer)
            }
        }
        let first = try await ChallengeResult(of: request, sentAs: attempt) {
            try await base.stream($0, observer: observer)
        }
        return try await complete(request, observer, started: now, signOut, first: (first, attempt), lease: lease) {
            try await base.stream($0, observer: observer)
        }
    }
}

private enum AuthorizationKey: ResponseMetadataKey { static let defaultValue: Bool? = nil }

extension HTTPResponseHead {
    /// True for a failed response to a request that had a credential; nil without a failure.
    ///
    /// False for a 401 to a request without a credential, since the client of `.baseURL` is not made yet.
    package var wasAuthorized: Bool? {
        get { self[AuthorizationKey.self] }
        set { self[AuthorizationKey.self] = newValue }
    }
}
