public import HTTPMessages
public import Transport

/// A layer that adds credentials to requests, and replaces them when they expire or a server rejects them.
///
/// ```swift
/// let transport = URLSessionTransport.shared.authorizing(with: tokens, at: try AllowedOrigins("https://api.example.com"))
/// ```
///
/// When a response is a challenge, such as status 401, the layer obtains a new credential and sends the request again,
/// usually once (``Authorizer/maximumReplays``). Concurrent calls share one refresh; see ``CredentialCache``. The
/// challenge is returned as the response, and the next call gets a new credential, when the request body is a stream
/// that cannot be sent again. It is also returned after the last replay, and when too many refreshes failed
/// (``RefreshPolicy/maximumFailures``). When the refresh fails, its error is thrown.
///
/// Only the allowed origins get credentials. Requests to other origins, and those with
/// ``HTTPMessages/RequestOptions/skipsAuthorization``, are sent unchanged. A credential replaces a field of the same name.
///
/// The total timeout spans both attempts and the wait for the credential. Each attempt starts its events from zero.
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
        try await base.send(request, observer: observer)
    }
}
