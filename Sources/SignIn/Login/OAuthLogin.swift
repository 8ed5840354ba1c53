public import Authentication
import Coordination
public import Foundation
public import HTTPMessages
public import PatchbayErrors
import RequestModel
public import Signing
import Synchronization
public import Transport

/// Signs a user in with OAuth 2.0 and OpenID Connect: in a browser, or on another device.
///
/// ```swift
/// let login = try OAuthLogin(.discover("https://login.example.com"), client: "shop", redirect: .loopback)
/// let tokens = try await login.tokens(scopes: ["orders"], opening: .systemBrowser)
/// let stack = network.authorizing(with: tokens, at: origins)
/// ```
///
/// The authorization code flow with PKCE (RFC 6749, 7636, 8252, 9700): `state`, `nonce`, the issuer (RFC 9207) and the
/// claims of an ID token are checked, and requests are pushed (RFC 9126) to servers that offer it. The tokens are kept,
/// stored and refreshed by an `OAuthClient`.
///
/// The tokens are those of one user: the next sign-in replaces them in each client of the login, and a sign-out removes
/// them from each. For two users at a time, use two logins with a store of their own.
///
/// Each sign-in completes once: with tokens, or with one error. Several may run at a time.
public final class OAuthLogin: Sendable {
    struct State {
        var metadata: OAuthServerMetadata?
        /// The tokens, which all clients of the login share.
        var tokens: OAuthClient?
        /// The sign-ins that wait for a response, and the last ones that have ended, the latest last.
        var logins: [PendingLogin] = []
    }

    /// Sign-ins of which late and duplicate responses are told from those of others.
    private static let rememberedLogins = 16

    /// The server.
    public let server: OAuthServer
    /// The client's authentication.
    public let client: ClientAuthentication
    /// Where the server sends the browser at the end.
    public let redirect: OAuthRedirect
    /// The durations.
    public let settings: SignInSettings
    let store: any TokenStore
    let storeFailed: @Sendable (any Error) -> Void
    let transport: AnyTransport
    let clock: AnyMonotonicClock
    let serverClock: ServerClock
    let proof: DPoPProof?
    let state: Mutex<State>

    /// Creates a login; nothing is sent yet.
    /// - Parameters:
    ///   - client: the client ID of an app, as a string, or another authentication for a client with a secret.
    ///   - store: keeps the tokens; by default in memory.
    ///   - transport: sends the requests to the server.
    ///   - clock: measures timeouts.
    ///   - serverClock: follows the server's `Date`, for the times of ID tokens.
    ///   - dpop: an ECDSA P-256 key to which the server binds the tokens (RFC 9449): they are of no use without it.
    ///     Keep it as long as the tokens. Nil for bearer tokens.
    ///   - storeFailed: is told the error of a store that could not save a refreshed token.
    /// - Throws: ``SignInError`` (`invalidConfiguration`, `insecureURL`); `HTTPMessageError` of the timeouts.
    public init(
        _ server: OAuthServer, client: ClientAuthentication, redirect: OAuthRedirect,
        store: some TokenStore = MemoryTokenStore(), over transport: some Transport = URLSessionTransport.shared,
        settings: SignInSettings = SignInSettings(), clock: some Clock<Duration> = ContinuousClock(),
        serverClock: ServerClock = ServerClock(), dpop: SigningKey? = nil,
        storeFailed: @escaping @Sendable (any Error) -> Void = { _ in }
    ) throws {
        _ = try Issuer(server.issuer)
        try redirect.validate()
        try settings.validate()
        self.server = server
        self.client = client
        self.redirect = redirect
        self.settings = settings
        self.store = store
        self.storeFailed = storeFailed
        self.transport = AnyTransport(transport)
        self.clock = AnyMonotonicClock(clock)
        self.serverClock = serverClock
        proof = try dpop.map { try DPoPProof($0, clock: serverClock) }
        state = Mutex(State())
        if case .metadata(let metadata) = server.source { state.withLock { $0.metadata = metadata } }
    }

    /// The server's metadata, loaded once.
    /// - Throws: ``SignInError`` (`invalidMetadata`, `otherIssuer`, `insecureURL`); errors of the transport.
    public func metadata() async throws -> OAuthServerMetadata {
        if let metadata = state.withLock(\.metadata) { return metadata }
        let discovery = Discovery(
            issuer: try Issuer(server.issuer), transport: transport, timeouts: settings.timeouts,
            clock: serverClock)
        let metadata = try await discovery.metadata()
        state.withLock { $0.metadata = metadata }
        return metadata
    }

    /// Passes the URL of a redirect with which the app was opened, such as in `onOpenURL`.
    /// - Throws: ``SignInError``: `stateMismatch` if no sign-in waits for it, `duplicateResponse`, `lateResponse`,
    ///   `invalidResponse`; and the error with which it fails its sign-in, such as `accessDenied`.
    public func receive(_ redirect: URL) throws(SignInError) {
        let state = Query(parsing: redirect.query(percentEncoded: true) ?? "", as: .form)["state"] ?? ""
        let logins = self.state.withLock(\.logins)
        guard let login = logins.last(where: { SecretText.areEqual($0.request.state, state) }) else {
            throw .stateMismatch
        }
        try login.receive(login.request.query(of: redirect))
    }

    func add(_ login: PendingLogin) {
        state.withLock { state in
            state.logins.append(login)
            // One that waits is never among the oldest, unless 16 wait.
            if state.logins.count > Self.rememberedLogins, let index = state.logins.firstIndex(where: \.hasEnded) {
                state.logins.remove(at: index)
            }
        }
    }
}

extension OAuthLogin: RedactedStringConvertible {
    /// The server and the redirect URI.
    public var description: String { "OAuth login at \(server.issuer.shown), redirected to \(redirect)" }
}
