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

    // MARK: Exchanges

    /// Obtains a token: by the refresh token if that is enabled, else by registration, preauthorization and code.
    func token(for scope: OAuthScope, replacing previous: OAuthToken?) async throws -> OAuthToken {
        try await turns.run(.token) {
            try await registering { registration in
                if state.configuration.usesRefreshTokens, let refreshToken = previous?.refreshToken,
                    let token = try? await exchange(refreshToken: refreshToken, registration)
                {
                    return token
                }
                _ = try await preauthorize(scope.orDefault, registration)
                return try await exchange(code: code(for: scope.orDefault, registration), registration)
            }
        }
    }

    /// Passes one security check; yields no token.
    func login(_ check: String, _ credentials: JSONValue) async throws {
        try await turns.run(.login) {
            try await registering { registration in
                _ = try await preauthorize(check, registration, credentials: [check: credentials])
            }
        }
    }

    /// Ends the success of a security check.
    func logout(_ check: String) async throws {
        try await turns.run(.logout) {
            guard let registration = registrations.current() else {
                throw WLError(
                    .notRegistered, "AUTHORIZATION_FAILURE: the app is not registered, so there is nothing to log out.")
            }
            let assertion = try await assertion(registration)
            let response = try await post(
                "preauth/v1/logout", form: Self.assertionFields(assertion) + [("security_check", check)])
            guard response.status == .ok else { throw refused(response, "logout") }
        }
    }

    /// Runs an exchange with a registration.
    func registered<Value>(_ body: (Registration) async throws -> Value) async throws -> Value {
        try await turns.run(.registration) { try await registering(body) }
    }

    private func registering<Value>(_ body: (Registration) async throws -> Value) async throws -> Value {
        do {
            return try await body(try await registration())
        } catch let error as WLError where error.code == .invalidClientID {
            registrations.forget()
            return try await body(try await registration())
        }
    }

    // MARK: Preauthorization

    /// Passes the checks of a scope, with the handlers of their challenges.
    /// - Parameter credentials: sent with the first request.
    private func preauthorize(
        _ scope: String, _ registration: Registration, credentials: [String: JSONValue] = [:]
    ) async throws {
        let rounds = ChallengeRounds(handlers, delivery: state.delivery)
        var action = rounds.handle(.start(credentials))
        var last: HTTPResponse?
        while true {
            switch action {
            case .send(let credentials):
                let response = try await post(
                    "preauth/v1/preauthorize",
                    json: [
                        "client_id": .string(registration.clientID), "scope": .string(scope),
                        "challengeResponse": .object(credentials),
                    ])
                if let time = PreauthorizationResponse.serverTime(response) { serverClock.synchronize(with: time) }
                last = response
                action = rounds.handle(.response(PreauthorizationResponse(response)))
            case .challenge(let challenges):
                action = await rounds.challenge(challenges)
            case .succeed(let successes):
                handlers.report(successes: successes, on: state.delivery)
                return
            case .fail(let failures):
                handlers.report(failures: failures, on: state.delivery)
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
    private func code(for scope: String, _ registration: Registration) async throws -> String {
        let query = [
            ("response_type", "code"), ("client_id", registration.clientID), ("scope", scope),
            ("redirect_uri", state.configuration.redirectURI),
        ]
        let url = try state.authorizationServer().appending("api/az/v1/authorization").text
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

    private func exchange(code: String, _ registration: Registration) async throws -> OAuthToken {
        try await tokenEndpoint(registration, id: code).token([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", state.configuration.redirectURI),
        ])
    }

    private func exchange(refreshToken: String, _ registration: Registration) async throws -> OAuthToken {
        try await tokenEndpoint(registration, id: nil).token([
            ("grant_type", "refresh_token"), ("refresh_token", refreshToken),
        ])
    }

    private func tokenEndpoint(_ registration: Registration, id: String?) throws -> TokenEndpoint {
        try tokenEndpoint(
            client: .assertion(clientID: registration.clientID) {
                try await self.assertion(registration, id: id, audience: "az/v1/token")
            })
    }

    /// The server's token endpoint.
    func tokenEndpoint(client: ClientAuthentication) throws -> TokenEndpoint {
        try TokenEndpoint(
            state.authorizationServer().appending("api/az/v1/token").text, client: client, over: transport(),
            timeouts: timeouts(), clock: ServerClock(date: date))
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

    static func assertionFields(_ assertion: String) -> [(String, String)] {
        [("client_assertion_type", ClientAssertion.type), ("client_assertion", assertion)]
    }

    func post(_ path: String, json: JSONValue) async throws -> HTTPResponse {
        try await send(.post, path, json: json)
    }

    func send(_ method: HTTPMethod, _ path: String, json: JSONValue) async throws -> HTTPResponse {
        try await send(
            HTTPRequest(
                method, state.server().appending("api/\(path)").text,
                fields: HTTPFields(["Content-Type": "application/json; charset=utf-8"]), body: .bytes(json.data()),
                options: options()))
    }

    func post(_ path: String, form: [(String, String)]) async throws -> HTTPResponse {
        let text = form.map { "\(URIComponent.encode($0.0))=\(URIComponent.encode($0.1))" }.joined(separator: "&")
        return try await send(
            HTTPRequest(
                .post, state.server().appending("api/\(path)").text,
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
