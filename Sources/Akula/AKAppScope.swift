import Coordination
import Foundation
import HTTPMessages
public import RequestModel
import Synchronization
import Transport

/// An app scope on an Akula server: base URL, current session and device identifier.
///
/// The vendor has one scope per process, ``shared``, which `AKServerAgent.initialize` sets up. An agent can use a scope
/// of its own. Thread-safe.
public final class AKAppScope: Sendable {
    /// Base URL, session and device identifier, as one call sees them. An object, since a call passes it on many times.
    final class State: Sendable {
        /// Nil before it is set.
        fileprivate let base: Result<BaseURL, AKError>?
        fileprivate let active: ActiveSession?
        let deviceID: String?

        fileprivate init(
            base: Result<BaseURL, AKError>? = nil, active: ActiveSession? = nil,
            deviceID: String? = nil
        ) {
            self.base = base
            self.active = active
            self.deviceID = deviceID
        }

        var baseURL: BaseURL {
            get throws(AKError) { try (base ?? .failure(.notInitialized)).get() }
        }
        var session: AKSession? { active?.session }

        /// The login that has obtained a token; nil if it is not that of the session, and if the app has begun that.
        func login(ofToken token: String) -> String? { session?.token == token ? active?.login?.text : nil }

        /// This state without its session, as a login sends it.
        var signedOut: State { with(nil) }

        fileprivate func with(_ active: ActiveSession?) -> State {
            State(base: base, active: active, deviceID: deviceID)
        }

        /// This state, without its session if that has expired.
        fileprivate func current(now: Duration) -> State {
            if let expiry = active?.expiry, expiry <= now { with(nil) } else { self }
        }
    }
    fileprivate struct ActiveSession {
        let session: AKSession
        /// The principal of its login, with the user that the server has named, or else with the secret; nil without a
        /// principal.
        let login: CachePartition?
        let expiry: Duration?

        init(_ session: AKSession, login: CachePartition? = nil, now: Duration) {
            self.session = session
            self.login = login
            expiry = session.expiry(from: now)
        }
    }
    /// A login in flight.
    typealias Login = Session<State, UUID>.SignIn

    /// The scope of `AKServerAgent()` and of ``AKSession/current``.
    public static let shared = AKAppScope()

    private let state: Session<State, UUID>
    private let clock: AnyMonotonicClock

    /// Creates a scope without a base URL; calls fail until one is set.
    /// - Parameter clock: measures the session timeout.
    public init(clock: some Clock<Duration> = ContinuousClock()) {
        state = Session(State())
        self.clock = AnyMonotonicClock(clock)
    }

    /// Creates a scope with a base URL.
    /// - Parameter clock: measures the session timeout.
    /// - Throws: ``AKError`` (`configuration`) unless it is an absolute http or https URL without user and password.
    public convenience init(_ baseURL: String, clock: some Clock<Duration> = ContinuousClock()) throws(AKError) {
        self.init(clock: clock)
        try initialize(baseURL)
    }

    /// Sets the base URL. Drops the session of another server: it stays if no base URL was set before, or an equivalent
    /// one (`BaseURL.isEquivalent`).
    /// - Throws: ``AKError`` (`configuration`); calls then fail with the same error until a valid URL is set.
    public func initialize(_ baseURL: String) throws(AKError) {
        let base = Result { () throws(HTTPMessageError) in try BaseURL(baseURL) }.mapError { error in
            AKError(.configuration, "Invalid base URL. \(error.message)", underlying: error)
        }
        state.reset(unless: { $0.base?.isEquivalent(to: base) ?? true }) { state, isReset in
            state = State(base: base, active: isReset ? nil : state.active, deviceID: state.deviceID)
        }
        _ = try base.get()
    }

    /// The base URL.
    /// - Throws: ``AKError`` (`configuration`) if no valid base URL is set.
    public var baseURL: BaseURL {
        get throws(AKError) { try state.read { $0 }.baseURL }
    }

    /// Device identifier, sent with every request as `X-Ak-Device-Id`; default nil.
    public var deviceID: String? {
        get { state.read(\.deviceID) }
        set { state.change { $0 = State(base: $0.base, active: $0.active, deviceID: newValue) } }
    }

    /// The current session; nil before login, after logout and after expiry.
    public var session: AKSession? { (preparedState ?? currentState).session }

    /// Starts a session, replacing the current one. Logins in flight have no effect then.
    public func begin(_ session: AKSession) {
        let active = ActiveSession(session, now: clock.now)
        state.reset { $0 = $0.with(active) }
    }

    /// Drops the session.
    /// - Parameter token: drops the session only if it has this token; nil, the default, drops any session, and ends
    ///   the logins in flight.
    public func end(token: String? = nil) {
        if let token {
            state.change { if $0.session?.token == token { $0 = $0.with(nil) } }
        } else {
            state.reset { $0 = $0.with(nil) }
        }
    }

    // MARK: Calls

    /// The preparation of one call: the state that all of it reads. Tasks that it starts, and that outlive it, have it
    /// too, so it counts only until its end.
    private final class Preparation: Sendable {
        let scope: AKAppScope
        /// Nil after the end.
        private let state: Mutex<State?>

        init(_ scope: AKAppScope, _ state: State) {
            self.scope = scope
            self.state = Mutex(state)
        }

        var current: State? { state.withLock(\.self) }
        func end() { state.withLock { $0 = nil } }
    }

    @TaskLocal private static var prepared: Preparation?

    /// The state of the call that the current task prepares; nil outside of one.
    var preparedState: State? {
        Self.prepared.flatMap { $0.scope === self ? $0.current : nil }
    }

    /// Prepares a call, all of it by one state: the app may set another server or sign in meanwhile.
    /// - Parameter state: nil to read it now.
    func prepareCall<Output>(by state: State? = nil, _ prepare: () throws -> Output) rethrows -> Output {
        let state = state ?? preparedState ?? currentState
        let preparation = Preparation(self, state)
        defer { preparation.end() }
        return try Self.$prepared.withValue(preparation, operation: prepare)
    }

    /// What a call depends on.
    var currentState: State {
        let current = state.read { $0 }
        guard current.active?.expiry != nil else { return current }
        let now = clock.now
        return state.change { state in
            state = state.current(now: now)
            return state
        }
    }

    /// Restarts the timeout of the session with this token, unless it has ended.
    func restartTimeout(ofToken token: String) {
        guard currentState.session?.timeout != nil else { return }
        let now = clock.now
        state.change { state in
            state = state.current(now: now)
            if let active = state.active, active.session.token == token {
                state = state.with(ActiveSession(active.session, login: active.login, now: now))
            }
        }
    }

    /// Begins a login; call it on the app's thread, in the order of its calls.
    func beginLogin() -> Login {
        // Drops an expired session, which the login would present.
        _ = currentState
        return state.beginSignIn()
    }

    /// Starts the session of a login.
    /// - Parameters:
    ///   - principal: the user's identity; nil if it is not known.
    ///   - secret: the credentials, likewise.
    /// - Returns: false, without effect, if the app has logged out or set another server meanwhile, or if a login that
    ///   began later has succeeded.
    func begin(_ session: AKSession, by login: Login, of principal: JSONValue?, _ secret: JSONValue?) -> Bool {
        var name: CachePartition?
        // Of an empty principal, the token tells users apart.
        if let principal, principal != .null, principal != "", principal != [:] {
            // A principal may be that of several users, such as a realm.
            name =
                session.user.map { CachePartition("login \(JSONValue.array([principal, $0]))") }
                ?? CachePartition.password("login \(JSONValue.array([principal, secret ?? .null]))")
        }
        let active = ActiveSession(session, login: name, now: clock.now)
        // Each login counts as another user, and the token, a secret, ends with the session.
        return state.commit(login, as: UUID()) { $0 = $0.with(active) }
    }

    /// Drops the session, and ends the logins in flight.
    /// - Returns: the server and the session, if it has not expired.
    func beginLogout() -> State {
        let now = clock.now
        return state.reset { state in
            defer { state = state.with(nil) }
            return state.current(now: now)
        }
    }
}

extension Result where Success == BaseURL {
    /// Whether both are URLs and equivalent.
    fileprivate func isEquivalent(to other: Self) -> Bool {
        guard case .success(let left) = self, case .success(let right) = other else { return false }
        return left.isEquivalent(to: right)
    }
}

extension AKSession {
    /// Expiry time without further requests. Timeouts are capped at 100 years to prevent overflow.
    fileprivate func expiry(from now: Duration) -> Duration? {
        timeout.map { now + min($0, .century) }
    }
}
