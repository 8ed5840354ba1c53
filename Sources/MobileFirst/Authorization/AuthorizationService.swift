import Authentication
import Foundation
import HTTPMessages
import Synchronization

/// The exchanges with the authorization server: registration, preauthorization, code, token, login, logout, heartbeat.
///
/// They run one at a time (``AuthorizationQueue``). After `INVALID_CLIENT_ID` the app registers again, once per
/// exchange.
final class AuthorizationService: Sendable {
    let state: ClientState
    let handlers: HandlerRegistry
    let requests: AuthorizationRequests
    let registrations: RegistrationKeeper
    let heartbeat: Heartbeat
    private let queue = AuthorizationQueue()
    /// The app's display name of the device; nil if it has not set one.
    let displayName = Mutex<String?>(nil)
    /// The refresh tokens that the server has refused, the latest ones: they must not be sent again.
    private let refusedRefreshTokens = Mutex<[String]>([])
    private static let maximumRefusedRefreshTokens = 16

    init(
        state: ClientState, handlers: HandlerRegistry, store: some WLRegistrationStore, clock: some Clock<Duration>,
        date: @escaping @Sendable () -> Date
    ) {
        self.state = state
        self.handlers = handlers
        requests = AuthorizationRequests(state: state, handlers: handlers, date: date)
        registrations = RegistrationKeeper(store, warn: state.configuration.warn)
        heartbeat = Heartbeat(interval: state.configuration.heartbeatInterval, clock: clock)
    }

    /// Deletes the registration, for another server.
    func forgetRegistration() { registrations.forget() }

    /// Begins a session, and ends what waits for the app's user and the tokens that wait in the queue.
    /// - Returns: the ended jobs, which wait until ``finish(_:)``.
    func endSession(_ begin: @Sendable () -> Void) -> AuthorizationQueue.State.Ended { queue.endSession(begin) }

    func finish(_ ended: AuthorizationQueue.State.Ended) { queue.finish(ended) }

    private func start() -> ExchangeStart {
        // Before the server: a registration is dropped if the app changes the server after this.
        let registrations = registrations.snapshot
        return ExchangeStart(
            servers: Result { () throws(WLError) in try state.servers() }, registrations: registrations)
    }

    /// Begins a login or logout on the app's thread: in the order of its calls, and with the server of that time.
    func begin(_ job: AuthorizationQueue.State.Job) -> StartedExchange {
        StartedExchange(start: start(), lease: Result { () throws(WLError) in try queue.begin(job) })
    }

    // MARK: Exchanges

    /// Obtains a token: by the refresh token if that is enabled, else by registration, preauthorization and code.
    func token(for scope: OAuthScope, replacing previous: ServerToken?) async throws -> ServerToken {
        let outcome = try await queue.run(.token) {
            try await exchange(start()) { servers, registration in
                let flow = CodeFlow(requests: requests, servers: servers, registration: registration)
                if let token = try await refreshed(previous, by: flow) { return await ExchangeOutcome { token } }
                return try await preauthorized(scope.orDefault, servers, registration) {
                    ServerToken(try await flow.token(for: scope.orDefault), session: servers.session)
                }
            }
        }
        return try delivered(outcome)
    }

    /// Passes one security check; yields no token.
    func login(_ check: String, _ credentials: Result<JSONValue, WLError>, _ login: StartedExchange) async throws {
        let outcome = try await queue.run(login.lease.get()) {
            let credentials = try credentials.get()
            return try await exchange(login.start) { servers, registration in
                try await preauthorized(check, servers, registration, credentials: [check: credentials]) {}
            }
        }
        try delivered(outcome)
    }

    /// Ends the success of a security check.
    func logout(_ check: String, _ logout: StartedExchange) async throws {
        try await queue.run(logout.lease.get()) {
            let server = try logout.start.servers.get().server
            guard let registration = known(at: server, logout.start) else {
                throw WLError(
                    .notRegistered, "AUTHORIZATION_FAILURE: the app is not registered, so there is nothing to log out.")
            }
            let response = try await requests.post(
                "preauth/v1/logout", at: server, assertedBy: registration, form: [("security_check", check)])
            guard response.status == .ok else { throw WLError.refused(response, "logout") }
        }
    }

    /// Runs an exchange with a registration.
    func registered<Value: Sendable>(
        _ body: (ClientState.Servers, Registration) async throws -> Value
    ) async throws -> Value {
        let outcome = try await queue.run(.registration) {
            try await exchange(start()) { servers, registration in
                await ExchangeOutcome { try await body(servers, registration) }
            }
        }
        return try outcome.result.get()
    }

    // MARK: Steps

    /// Runs an exchange with one server and a registration there, also if the app changes the server meanwhile.
    private func exchange<Value: Sendable>(
        _ start: ExchangeStart, _ body: (ClientState.Servers, Registration) async throws -> ExchangeOutcome<Value>
    ) async throws -> ExchangeOutcome<Value> {
        let servers = try start.servers.get()
        func attempt(_ start: ExchangeStart) async -> ExchangeOutcome<Value> {
            do {
                return try await body(servers, registration(at: servers.server, start))
            } catch {
                return ExchangeOutcome(failure: error)
            }
        }
        let first = await attempt(start)
        // If the app changed the server meanwhile, the registration there is not the one that is unknown.
        guard first.isInvalidClientID, registrations.isCurrent(start.registrations) else { return first }
        registrations.forget()
        return await attempt(ExchangeStart(servers: start.servers, registrations: registrations.snapshot))
    }

    /// Passes the checks of a scope, then runs the rest of an exchange.
    private func preauthorized<Value: Sendable>(
        _ scope: String, _ servers: ClientState.Servers, _ registration: Registration,
        credentials: [String: JSONValue] = [:], _ body: () async throws -> Value
    ) async throws -> ExchangeOutcome<Value> {
        let exchange = PreauthorizationExchange(
            requests: requests, handlers: handlers, servers: servers, registration: registration)
        let (report, failure) = try await exchange.run(scope, credentials: credentials)
        return await ExchangeOutcome(report) {
            if let failure { throw failure }
            return try await body()
        }
    }

    /// A token by the refresh token of an earlier one; nil without one, and if the server refuses it.
    private func refreshed(_ previous: ServerToken?, by flow: CodeFlow) async throws -> ServerToken? {
        // A refresh token of another session is that of an earlier user or server.
        guard state.configuration.usesRefreshTokens, let previous, previous.session == flow.servers.session,
            let refreshToken = previous.refreshToken, !refusedRefreshTokens.withLock({ $0.contains(refreshToken) })
        else { return nil }
        guard let token = try await flow.token(refreshToken: refreshToken) else {
            refusedRefreshTokens.withLock { $0 = ($0 + [refreshToken]).suffix(Self.maximumRefusedRefreshTokens) }
            return nil
        }
        return ServerToken(token, session: previous.session, refreshToken: refreshToken)
    }

    /// The value of an exchange that has left the queue. Tells the handlers, which can start a login or a logout now.
    @discardableResult
    private func delivered<Value>(_ outcome: ExchangeOutcome<Value>) throws -> Value {
        if let report = outcome.report { handlers.deliver(report, on: state.delivery) }
        return try outcome.result.get()
    }
}

extension OAuthScope {
    /// The names as the server expects them; the default scope is `RegisteredClient`.
    var orDefault: String { isEmpty ? "RegisteredClient" : text }
}
