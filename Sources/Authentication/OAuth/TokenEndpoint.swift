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
    /// The URL.
    public let url: URL
    /// The client's authentication.
    public let client: ClientAuthentication
    /// The clock that follows the `Date` field of the responses.
    public let clock: ServerClock
    private let transport: AnyTransport
    private let template: HTTPRequest

    /// Creates an endpoint.
    /// - Parameters:
    ///   - url: `https`; `http` for this machine only (localhost, 127.0.0.1, ::1).
    ///   - transport: sends the token requests, with ``HTTPMessages/RequestOptions/skipsAuthorization``.
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
        clock: ServerClock, allowsInsecureURL: Bool
    ) throws {
        try timeouts.validate()
        var options = RequestOptions(timeouts: timeouts, maximumResponseBytes: 1 << 20)
        options.skipsAuthorization = true
        options.hasSecretBody = true
        template = try HTTPRequest(
            .post, url, fields: HTTPFields(["Accept": "application/json"]), options: options)
        guard template.origin.protectsSecrets || allowsInsecureURL else {
            throw AuthenticationError(
                .insecureEndpoint,
                "Token endpoint is http, which would send secrets unencrypted; use https.", request: template)
        }
        self.url = template.url
        self.client = client
        self.clock = clock
        self.transport = AnyTransport(transport)
    }

    /// Sends a token request.
    ///
    /// If it is refused (status 400, 401, 403) and the `Date` of the response shows that ``clock`` was wrong, a client
    /// with an assertion sends it once more, signed at the server's time.
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
        try await token(scope: scope, client: client, isSigned: false) { parameters }
    }

    /// Sends a token request, and a second one if the first is refused and was signed by a wrong clock.
    /// - Parameters:
    ///   - isSigned: whether the parameters have a signed time.
    ///   - parameters: made for each request.
    func token(
        scope: OAuthScope = .empty, client: ClientAuthentication? = nil, isSigned: Bool,
        _ parameters: () async throws -> [(String, String)]
    ) async throws -> OAuthToken {
        let client = client ?? self.client
        let first = try await response(to: parameters(), scope: scope, client: client)
        guard first.isClockWrong, first.mayBeExpired, isSigned || client.isSigned && !first.refusesGrant else {
            return try first.content.token(scope: scope, now: clock.localNow)
        }
        let second = try await response(to: parameters(), scope: scope, client: client)
        return try second.content.token(scope: scope, now: clock.localNow)
    }

    private struct Response {
        let content: TokenResponse
        let status: HTTPStatus
        /// True if the clock was not the server's; it is now.
        let isClockWrong: Bool

        /// True if the server may have refused an assertion for its time.
        var mayBeExpired: Bool { [.badRequest, .unauthorized, .forbidden].contains(status) }

        /// True if the server refuses the code or the refresh token of a client that it knows; it must not be sent
        /// again.
        var refusesGrant: Bool { content.errorCode == "invalid_grant" }
    }

    private func response(
        to parameters: [(String, String)], scope: OAuthScope, client: ClientAuthentication
    ) async throws -> Response {
        var parameters = parameters.filter { !$0.1.isEmpty }
        var secrets = parameters.filter { Self.secretParameters.contains($0.0) }.map(\.1)
        if !scope.isEmpty { parameters.append(("scope", scope.text)) }
        var request = template
        secrets += try await client.apply(to: &request, parameters: &parameters)
        let form = parameters.map { "\($0.0.formEncoded)=\($0.1.formEncoded)" }.joined(separator: "&")
        try request.fields.set(.contentType, to: MediaType.form.description)
        try request.setBody(.text(form))
        let response = try await transport.send(request)
        return Response(
            content: TokenResponse(response, request: request, secrets: secrets), status: response.status,
            isClockWrong: clock.synchronize(with: response.head))
    }

    private static let secretParameters: Set<String> = [
        "assertion", "client_assertion", "client_secret", "code", "code_verifier", "password", "refresh_token",
    ]
}

extension TokenEndpoint: RedactedStringConvertible {
    /// The URL.
    public var description: String { "token endpoint \(template.redactedURL)" }
}
