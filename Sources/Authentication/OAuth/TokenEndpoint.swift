public import Foundation
public import HTTPMessages
public import PatchbayErrors
public import Transport

/// The token endpoint of an OAuth 2.0 server (RFC 6749, section 3.2): sends token requests and reads their responses.
///
/// ``OAuthClient`` uses it. Call it for a grant of your own, such as an authorization code:
///
/// ```swift
/// let token = try await endpoint.token([("grant_type", "authorization_code"), ("code", code)])
/// ```
public struct TokenEndpoint: Sendable {
    /// The client's authentication.
    public let client: ClientAuthentication
    private let endpoint: OAuthEndpoint

    /// Creates an endpoint.
    /// - Parameters:
    ///   - url: `https`; `http` for this machine only (localhost, 127.0.0.1, ::1).
    ///   - transport: sends the token requests, with ``HTTPMessages/RequestOptions/skipsAuthorization``, and without
    ///     following redirects.
    ///   - timeouts: of each token request; default 30 seconds in total.
    /// - Throws: ``AuthenticationError`` (`insecureEndpoint`); `HTTPMessageError` if the URL is invalid.
    public init(
        _ url: String, client: ClientAuthentication, over transport: some Transport,
        timeouts: Timeouts = Timeouts(total: .seconds(30)), clock: ServerClock = ServerClock()
    ) throws {
        try self.init(
            url, client: client, over: transport, timeouts: timeouts, clock: clock, allowsInsecureURL: false)
    }

    /// - Parameter allowsInsecureURL: allows `http` for every host.
    package init(
        _ url: String, client: ClientAuthentication, over transport: some Transport, timeouts: Timeouts,
        clock: ServerClock, allowsInsecureURL: Bool, proof: (any PossessionProof)? = nil
    ) throws {
        endpoint = try OAuthEndpoint(
            url, for: .token, over: transport, timeouts: timeouts, clock: clock, allowsInsecureURL: allowsInsecureURL,
            proof: proof)
        self.client = client
    }

    /// The URL.
    public var url: URL { endpoint.url }
    /// The clock that follows the `Date` field of the responses.
    public var clock: ServerClock { endpoint.clock }
    /// Proves that the client has the key of its tokens; nil for bearer tokens.
    var proof: (any PossessionProof)? { endpoint.proof }

    /// Sends a token request.
    ///
    /// If it is refused (status 400, 401, 403) and the `Date` of the response shows that ``clock`` was wrong, a client
    /// with an assertion, or with a proof that was refused, sends it once more, signed at the server's time.
    /// - Parameters:
    ///   - parameters: the form's parameters with `grant_type`, without those of the client's authentication; empty
    ///     values are omitted.
    ///   - scope: requested, unless empty; also the scope of the token if the response has none.
    ///   - client: another authentication than ``client``, for this request.
    /// - Throws: ``AuthenticationError`` (`refused`, `invalidTokenResponse`, `invalidCredential`); errors of the
    ///   transport and of the client's authentication.
    public func token(
        _ parameters: [(String, String)], scope: OAuthScope = .empty, client: ClientAuthentication? = nil
    ) async throws -> OAuthToken {
        try await issue(parameters, scope: scope, client: client).token
    }

    /// Sends a token request, as ``token(_:scope:client:)`` does.
    /// - Returns: the token, with the ID token of OpenID Connect.
    package func issue(
        _ parameters: [(String, String)], scope: OAuthScope = .empty, client: ClientAuthentication? = nil
    ) async throws -> IssuedTokens {
        try await issue(scope: scope, client: client, isSigned: false) { parameters }
    }

    /// Sends a token request, and a second one if the first is refused and was signed by a wrong clock.
    /// - Parameters:
    ///   - isSigned: whether the parameters have a signed time.
    ///   - parameters: made for each request.
    func issue(
        scope: OAuthScope = .empty, client: ClientAuthentication? = nil, isSigned: Bool,
        _ parameters: () async throws -> [(String, String)]
    ) async throws -> IssuedTokens {
        let client = client ?? self.client
        let skew = clock.skew
        let first = try await endpoint.response(to: parameters(), scope: scope, client: client)
        let refusesProof = proof.map { first.errorCode == $0.proofError } ?? false
        guard clock.hasChanged(since: skew), first.mayBeExpired,
            isSigned || refusesProof || client.isSigned && !first.refusesGrant
        else {
            return try first.tokens(scope: scope, type: proof?.tokenType ?? "Bearer", now: clock.localNow)
        }
        let second = try await endpoint.response(to: parameters(), scope: scope, client: client)
        return try second.tokens(scope: scope, type: proof?.tokenType ?? "Bearer", now: clock.localNow)
    }
}

extension TokenEndpoint: RedactedStringConvertible {
    /// The URL.
    public var description: String { endpoint.description }
}
