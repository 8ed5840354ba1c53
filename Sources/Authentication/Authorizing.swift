public import HTTPMessages
public import Transport

/// A layer that adds credentials to requests, and replaces them when they expire or a server rejects them.
///
/// ```swift
/// let transport = URLSessionTransport.shared.authorizing(with: tokens, at: try AllowedOrigins("https://api.example.com"))
/// ```
///
/// When a response is a challenge, such as status 401, the layer obtains a new credential and sends the request again,
/// usually once (``Authorizer/maximumReplays``). Concurrent calls share one refresh; see ``CredentialCache``. When the
/// refresh fails, its error is thrown.
///
/// The challenge itself is the response when the request body is a stream, which cannot be sent again, after the last
/// replay, and when too many refreshes failed (``RefreshPolicy/maximumFailures``). The next call gets a new credential.
///
/// Only the allowed origins get credentials. Requests to other origins, and those with
/// ``HTTPMessages/RequestOptions/skipsAuthorization``, are sent unchanged. A credential replaces a field of the same
/// name. A request that the authorizer sends through this layer while it obtains a credential never waits for that
/// credential: it is sent without one.
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
    /// - Throws: the base's errors; the authorizer's errors; ``AuthenticationError`` (`tooManyRefreshes`);
    ///   `TransportError` (`cancelled`, `timedOut`) while the call waits for a credential.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await authorize(request) { try await base.send($0, observer: observer) }
    }

    private func authorize<Response: HTTPResponseProtocol>(
        _ request: HTTPRequest, _ send: (HTTPRequest) async throws -> Response
    ) async throws -> Response {
        guard origins.contains(request.origin), !request.options.skipsAuthorization else {
            return try await send(request)
        }
        let started = credentials.clock.now
        let deadline = request.options.timeouts.total.map { started + $0 }
        var scope = credentials.authorizer.scope(of: request)
        var lease: CredentialCache<A>.Lease?
        var attempt = request
        if let scope {
            lease = credentials.lease(scope, now: started)
            if lease == nil, !credentials.isRefreshing {
                lease = try await credentials.wait(for: scope, deadline: deadline, request: request)
                try limit(&attempt, to: deadline)
            }
        }
        var replays = credentials.authorizer.maximumReplays
        while true {
            if let lease { try credentials.authorizer.authorize(&attempt, with: lease.credential) }
            let result: Result<Response, any Error>
            let head: HTTPResponseHead
            do {
                let response = try await send(attempt)
                (result, head) = (.success(response), response.head)
            } catch let error as TransportError where error.code == .responseTooLarge && error.head != nil {
                // A challenge may have any body.
                (result, head) = (.failure(error), error.head ?? HTTPResponseHead(status: .ok, url: request.url))
            }
            guard let wanted = self.scope(wantedBy: head, of: request, scope) else {
                if let lease, let scope, !lease.isAccepted, head.status.code < 400 {
                    credentials.accept(lease, of: scope)
                }
                return try result.get()
            }
            // Another scope needs another credential, but the one that was sent is still good.
            let mayRefresh = credentials.reject(wanted == scope ? lease : nil, of: wanted)
            guard mayRefresh, replays > 0, request.body.isReplayable, !credentials.isRefreshing else {
                return try result.get()
            }
            replays -= 1
            // Before the wait: the token request may need the connection.
            try? await result.get().discard(until: credentials.clock.now + .seconds(1), on: credentials.clock)
            scope = wanted
            lease = try await credentials.wait(for: wanted, challenge: head, deadline: deadline, request: request)
            attempt = request
            try limit(&attempt, to: deadline)
        }
    }

    /// The scope that a response asks for; nil if it is no challenge, or one of an origin that a redirect led to.
    private func scope(
        wantedBy head: HTTPResponseHead, of request: HTTPRequest, _ scope: A.Scope?
    ) -> A.Scope? {
        guard !head.status.isSuccessful, origins.contains(head.url),
            case .authorize(let wanted) = credentials.authorizer.reaction(to: head, of: request, scope: scope)
        else { return nil }
        return wanted
    }

    /// Reduces the total timeout to the rest of it.
    private func limit(_ request: inout HTTPRequest, to deadline: Duration?) throws {
        guard let deadline else { return }
        let rest = deadline - credentials.clock.now
        guard rest > .zero else {
            throw TransportError(
                .timedOut, "Timed out while the call waited for a credential.", request: request, phase: .total)
        }
        request.options.timeouts.total = rest
    }
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
        try await authorize(request) { try await base.stream($0, observer: observer) }
    }
}
