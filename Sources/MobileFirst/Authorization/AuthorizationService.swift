import Authentication
import Foundation
import HTTPMessages
import RequestModel
import Synchronization
import Transport

/// The exchanges with the authorization server: registration, preauthorization, code, token, login, logout, heartbeat.
///
/// They run one at a time (``TurnQueue``). After `INVALID_CLIENT_ID` the app registers again, once per exchange.
final class AuthorizationService: Sendable {
    let state: ClientState
    let handlers: HandlerRegistry
    let registrations: RegistrationKeeper
    let heartbeat: Heartbeat
    /// The server's time, known from `clockSynchronization`.
    let serverClock: ServerClock
    private let date: @Sendable () -> Date
    private let turns = TurnQueue()
    /// The app's display name of the device; nil if it has not set one.
    let displayName = Mutex<String?>(nil)
    /// The refresh token that the server has refused last: it must not be sent again.
    private let refusedRefreshToken = Mutex<String?>(nil)

    init(
        state: ClientState, handlers: HandlerRegistry, store: some WLRegistrationStore, clock: some Clock<Duration>,
        date: @escaping @Sendable () -> Date
    ) {
        self.state = state
        self.handlers = handlers
        self.date = date
        registrations = RegistrationKeeper(store, warn: state.configuration.warn)
        serverClock = ServerClock(date: date)
        heartbeat = Heartbeat(interval: state.configuration.heartbeatInterval, clock: clock)
    }

    /// Deletes the registration, for another server.
    func forgetRegistration() { registrations.forget() }

    /// Ends what waits for the app's user, and the tokens that wait for their turn.
    func endSession() { turns.endSession() }

    // MARK: Starting

    /// The servers and the registration of an exchange, which a later change of the server does not affect.
    struct Session: Sendable {
        let servers: Result<ClientState.Servers, WLError>
        /// A new registration is dropped if all were deleted since then.
        let epoch: Int
        let registration: Registration?
    }

    /// A login or logout with its session. Run it exactly once, since it may have the turn.
    struct Begun: Sendable {
        let session: Session
        /// The turn, or the error of a call during another exchange.
        let turn: Result<TurnQueue.Turn, WLError>

        /// The error of a call during another exchange; nil if the call has the turn.
        var refusal: WLError? { if case .failure(let error) = turn { error } else { nil } }
    }

    private func session() -> Session {
        // Before the server: a registration is dropped if the app changes the server after this.
        let (epoch, registration) = registrations.snapshot
        let servers = Result { () throws(WLError) in try state.servers() }
        return Session(servers: servers, epoch: epoch, registration: registration)
    }

    /// Begins a login or logout on the app's thread: in the order of its calls, and with the server of that time.
    func begin(_ job: TurnQueue.Turns.Job) -> Begun {
        Begun(session: session(), turn: Result { () throws(WLError) in try turns.begin(job) })
    }

    // MARK: Exchanges

    /// Obtains a token: by the refresh token if that is enabled, else by registration, preauthorization and code.
    func token(for scope: OAuthScope, replacing previous: ServerToken?) async throws -> ServerToken {
        let report = Mutex<HandlerRegistry.Report?>(nil)
        // After the turn, so that the handler can start a login or a logout.
        defer { if let report = report.withLock(\.self) { handlers.deliver(report, on: state.delivery) } }
        return try await turns.run(.token) {
            try await registering(in: session()) { servers, registration in
                // A refresh token of another session is that of an earlier user or server.
                if state.configuration.usesRefreshTokens, let previous, previous.session == servers.session,
                    let refreshToken = previous.refreshToken, refusedRefreshToken.withLock({ $0 != refreshToken }),
                    let token = try await exchange(refreshToken: refreshToken, servers, registration)
                {
                    return ServerToken(token, session: servers.session, refreshToken: refreshToken)
                }
                try await preauthorize(scope.orDefault, servers, registration) { ended in
                    report.withLock { $0 = ended }
                }
                let code = try await code(for: scope.orDefault, servers, registration)
                let token = try await exchange(code: code, servers, registration)
                return ServerToken(token, session: servers.session)
            }
        }
    }

    /// Passes one security check; yields no token.
    func login(_ check: String, _ credentials: Result<JSONValue, WLError>, _ begun: Begun) async throws {
        let turn = try begun.turn.get()
        let report = Mutex<HandlerRegistry.Report?>(nil)
        // After the turn, so that the handler can start the next login or a logout.
        defer { if let report = report.withLock(\.self) { handlers.deliver(report, on: state.delivery) } }
        try await turns.run(turn) {
            let credentials = try credentials.get()
            try await registering(in: begun.session) { servers, registration in
                try await preauthorize(check, servers, registration, credentials: [check: credentials]) { ended in
                    report.withLock { $0 = ended }
                }
            }
        }
    }

    /// Ends the success of a security check.
    /// - Parameter willEnd: called before the next exchange begins.
    func logout(_ check: String, _ begun: Begun, willEnd: () -> Void) async throws {
        try await turns.run(begun.turn.get()) {
            defer { willEnd() }
            let servers = try begun.session.servers.get()
            guard let registration = known(at: servers.server, in: begun.session) else {
                throw WLError(
                    .notRegistered, "AUTHORIZATION_FAILURE: the app is not registered, so there is nothing to log out.")
            }
            let response = try await asserting(registration) { assertion in
                try await post(
                    "preauth/v1/logout", at: servers.server,
                    form: Self.assertionFields(assertion) + [("security_check", check)])
            }
            guard response.status == .ok else { throw refused(response, "logout") }
        }
    }

    /// Runs an exchange with a registration.
    func registered<Value>(
        _ body: (ClientState.Servers, Registration) async throws -> Value
    ) async throws -> Value {
        try await turns.run(.registration) { try await registering(in: session(), body) }
    }

    /// Runs an exchange with one server and a registration there, also if the app changes the server meanwhile.
    private func registering<Value>(
        in session: Session, _ body: (ClientState.Servers, Registration) async throws -> Value
    ) async throws -> Value {
        let servers = try session.servers.get()
        do {
            return try await body(servers, try await registration(at: servers.server, in: session))
        } catch let error as WLError where error.code == .invalidClientID {
            // If the app changed the server meanwhile, the registration there is not the one that is unknown.
            guard registrations.epoch == session.epoch else { throw error }
            registrations.forget()
            let renewed = Session(servers: session.servers, epoch: registrations.epoch, registration: nil)
            return try await body(servers, try await registration(at: servers.server, in: renewed))
        }
    }

    // MARK: Preauthorization

    /// Passes the checks of a scope, with the handlers of their challenges.
    /// - Parameters:
    ///   - credentials: sent with the first request.
    ///   - report: receives what the handlers are to be told at the end.
    private func preauthorize(
        _ scope: String, _ servers: ClientState.Servers, _ registration: Registration,
        credentials: [String: JSONValue] = [:], report: (HandlerRegistry.Report) -> Void
    ) async throws {
        let rounds = ChallengeRounds(handlers, delivery: state.delivery)
        var action = rounds.handle(.start(credentials))
        var last: HTTPResponse?
        while true {
            switch action {
            case .send(let credentials):
                let response = try await post(
                    "preauth/v1/preauthorize", at: servers.server,
                    json: [
                        "client_id": .string(registration.clientID), "scope": .string(scope),
                        "challengeResponse": .object(credentials),
                    ])
                if let time = PreauthorizationResponse.serverTime(response) { serverClock.synchronize(with: time) }
                last = response
                action = rounds.handle(.response(PreauthorizationResponse(response)))
            case .challenge(let challenges):
                action = try await TurnQueue.ask(stop: { rounds.stop() }) { await rounds.challenge(challenges) }
            case .succeed(let successes):
                report(.successes(successes))
                return
            case .fail(let failures):
                report(.failures(failures))
                let checks = failures.keys.sorted().joined(separator: ", ")
                throw WLError(
                    .authorization, "AUTHORIZATION_FAILURE: the security check failed: \(checks).",
                    response: last.map { WLResponse($0) })
            case .missingHandler(let check):
                throw WLError(
                    .missingChallengeHandler,
                    "MISSING_CHALLENGE_HANDLER: no handler for the security check \(check); register one with "
                        + "WLClient.registerChallengeHandler at start.", response: last.map { WLResponse($0) })
            case .abort(_, .cancelled) where Task.isCancelled:
                throw CancellationError()
            case .abort(let check, .cancelled):
                throw WLError(
                    .challengeCancelled, "CHALLENGE_HANDLING_CANCELED: the handler of \(check) cancelled the challenge."
                )
            case .abort(let check, .invalidCredential(let reason)):
                throw WLError(.invalidRequest, "The credential for the challenge of \(check) is not JSON: \(reason)")
            case .unexpected, .wait, .ignore:
                throw last.map { refused($0, "preauthorization") }
                    ?? WLError(.internalError, "The preauthorization ended without a response.")
            }
        }
    }

    // MARK: Code and token

    /// Requests an authorization code. Its redirect is read, and never followed.
    private func code(
        for scope: String, _ servers: ClientState.Servers, _ registration: Registration
    ) async throws -> String {
        let query = [
            ("response_type", "code"), ("client_id", registration.clientID), ("scope", scope),
            ("redirect_uri", state.configuration.redirectURI),
        ]
        let url = try servers.authorization.appending("api/az/v1/authorization").text
        let text = query.map { "\($0.0)=\(URIComponent.encode($0.1))" }.joined(separator: "&")
        let response = try await send(HTTPRequest(.get, "\(url)?\(text)", options: options()))
        guard response.status.kind == .redirection, let location = response.fields[.location] else {
            throw refused(response, "authorization")
        }
        let parts = location.split(separator: "?", maxSplits: 1)
        guard let target = parts.first,
            target == state.configuration.redirectURI[...] || target == state.configuration.redirectURI + "/"
        else {
            throw WLError(
                .authorization,
                "ERROR_OAUTH_PREVENT_REDIRECT: the authorization endpoint redirects to another URL than the redirect "
                    + "URI; set `WLConfiguration.redirectURI` if the server uses another one.",
                response: WLResponse(HTTPResponse(status: response.status, url: response.url)))
        }
        let parameters = Query(parsing: parts.count == 2 ? String(parts[1].prefix { $0 != "#" }) : "")
        guard let code = parameters["code"], !code.isEmpty else {
            throw WLError(
                .authorization,
                "AUTHORIZATION_FAILURE: the server refused an authorization code: \(parameters["error"] ?? "no reason").",
                response: WLResponse(HTTPResponse(status: response.status, url: response.url)))
        }
        return code
    }

    private func exchange(
        code: String, _ servers: ClientState.Servers, _ registration: Registration
    ) async throws -> OAuthToken {
        try await tokenEndpoint(servers, registration, id: code).token([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", state.configuration.redirectURI),
        ])
    }

    /// - Returns: nil if the server refuses the refresh token; then the app signs in again.
    private func exchange(
        refreshToken: String, _ servers: ClientState.Servers, _ registration: Registration
    ) async throws -> OAuthToken? {
        do {
            return try await tokenEndpoint(servers, registration, id: nil).token([
                ("grant_type", "refresh_token"), ("refresh_token", refreshToken),
            ])
        } catch let error as AuthenticationError
            where error.code == .refused && error.head?.status.kind != .serverError
        {
            refusedRefreshToken.withLock { $0 = refreshToken }
            return nil
        }
    }

    private func tokenEndpoint(
        _ servers: ClientState.Servers, _ registration: Registration, id: String?
    ) throws -> TokenEndpoint {
        let clock = serverClock.copy()
        return try tokenEndpoint(
            servers,
            client: .assertion(clientID: registration.clientID) { [serverClock] in
                // After a refusal, the endpoint's clock has the server's `Date`.
                serverClock.synchronize(with: clock.now)
                return try await self.assertion(registration, id: id, audience: "az/v1/token")
            }, clock: clock)
    }

    /// The server's token endpoint.
    func tokenEndpoint(
        _ servers: ClientState.Servers, client: ClientAuthentication, clock: ServerClock? = nil
    ) throws -> TokenEndpoint {
        try TokenEndpoint(
            servers.authorization.appending("api/az/v1/token").text, client: client, over: transport(),
            timeouts: timeouts(), clock: clock ?? ServerClock(date: date),
            allowsInsecureURL: state.configuration.allowsInsecureServers)
    }

    // MARK: Requests

    /// A signed assertion of the client.
    func assertion(
        _ registration: Registration, id: String? = nil, audience: String? = nil
    ) async throws -> String {
        try await Assertion(
            registration: registration, application: state.configuration, id: id, audience: audience,
            time: serverClock.now
        ).signed().compact
    }

    /// Sends a request with an assertion, and once more if its refusal shows that the clock was wrong.
    func asserting(
        _ registration: Registration, _ send: (String) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let response = try await send(assertion(registration))
        guard [.badRequest, .unauthorized, .forbidden].contains(response.status),
            serverClock.synchronize(with: response.head)
        else { return response }
        return try await send(assertion(registration))
    }

    static func assertionFields(_ assertion: String) -> [(String, String)] {
        [("client_assertion_type", ClientAssertion.type), ("client_assertion", assertion)]
    }

    func post(_ path: String, at server: BaseURL, json: JSONValue) async throws -> HTTPResponse {
        try await send(.post, path, at: server, json: json)
    }

    func send(
        _ method: HTTPMethod, _ path: String, at server: BaseURL, json: JSONValue
    ) async throws -> HTTPResponse {
        try await send(
            HTTPRequest(
                method, server.appending("api/\(path)").text,
                fields: HTTPFields(["Content-Type": "application/json; charset=utf-8"]), body: .bytes(json.data()),
                options: options()))
    }

    func post(_ path: String, at server: BaseURL, form: [(String, String)]) async throws -> HTTPResponse {
        let text = form.map { "\(URIComponent.encode($0.0))=\(URIComponent.encode($0.1))" }.joined(separator: "&")
        return try await send(
            HTTPRequest(
                .post, server.appending("api/\(path)").text,
                fields: HTTPFields(["Content-Type": RequestContent.formType]), body: .text(text), options: options()))
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await transport().send(request) }

    func options() throws -> RequestOptions {
        var options = RequestOptions(timeouts: try timeouts(), maximumResponseBytes: 1 << 20)
        options.skipsAuthorization = true
        options.hasSecretBody = true
        return options
    }

    private func timeouts() throws -> Timeouts { Timeouts(total: try .timeout(seconds: state.loginTimeout)) }

    private func transport() throws -> some Transport {
        SignInTransport(
            base: GatewayKeeping(base: try state.network(), state: state, handlers: handlers), state: state)
    }

    /// The error for a response that is not the expected one.
    func refused(_ response: HTTPResponse, _ exchange: String) -> WLError {
        let code: WLError.Code = response.status.kind == .clientError ? .authorization : .status
        return WLError(
            code, "AUTHORIZATION_FAILURE: the server refused the \(exchange): \(response.head).",
            response: WLResponse(response))
    }
}

extension OAuthScope {
    /// The names as the server expects them; the default scope is `RegisteredClient`.
    var orDefault: String { isEmpty ? "RegisteredClient" : text }
}
