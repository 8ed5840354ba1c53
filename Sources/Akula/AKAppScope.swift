import Coordination
import HTTPMessages
public import RequestModel
import Synchronization
import Transport

/// An app scope on an Akula server: base URL, current session and device identifier.
///
/// The vendor has one scope per process, ``shared``, which `AKServerAgent.initialize` sets up. An agent can use a scope
/// of its own. Thread-safe.
public final class AKAppScope: Sendable {
    private struct State {
        var base: Result<BaseURL, AKError>
        var session: ActiveSession?
        var deviceID: String?
        /// Number of changes that end the logins in flight: another server, a session of the app, a logout.
        var resets = 0
        /// Number of logins that have begun.
        var logins = 0
        /// The number of the last login that has succeeded.
        var lastLogin = 0
    }
    private struct ActiveSession {
        let session: AKSession
        var expiry: Duration?
    }
    /// A login in flight.
    struct Login: Sendable {
        fileprivate let number: Int
        fileprivate let resets: Int
    }

    /// The scope of `AKServerAgent()` and of ``AKSession/current``.
    public static let shared = AKAppScope()

    private let state: Mutex<State>
    private let clock: AnyMonotonicClock

    /// Creates a scope without a base URL; calls fail until one is set.
    /// - Parameter clock: measures the session timeout.
    public init(clock: some Clock<Duration> = ContinuousClock()) {
        state = Mutex(State(base: .failure(.notInitialized)))
        self.clock = AnyMonotonicClock(clock)
    }

    /// Creates a scope with a base URL.
    /// - Parameter clock: measures the session timeout.
    /// - Throws: ``AKError`` (`configuration`) unless it is an absolute http or https URL without user and password.
    public convenience init(_ baseURL: String, clock: some Clock<Duration> = ContinuousClock()) throws(AKError) {
        self.init(clock: clock)
        try initialize(baseURL)
    }

    /// Sets the base URL. Keeps the session if the URL is equivalent to the old one (`BaseURL.isEquivalent`), else
    /// drops it.
    /// - Throws: ``AKError`` (`configuration`); calls then fail with the same error until a valid URL is set.
    public func initialize(_ baseURL: String) throws(AKError) {
        let base = Result { () throws(HTTPMessageError) in try BaseURL(baseURL) }.mapError { error in
            AKError(.configuration, "Invalid base URL. \(error.message)", underlying: error)
        }
        state.withLock { state in
            if !state.base.isEquivalent(to: base) {
                state.session = nil
                state.resets += 1
            }
            state.base = base
        }
        _ = try base.get()
    }

    /// The base URL.
    /// - Throws: ``AKError`` (`configuration`) if no valid base URL is set.
    public var baseURL: BaseURL {
        get throws(AKError) { try state.withLock(\.base).get() }
    }

    /// Device identifier, sent with every request as `X-Ak-Device-Id`; default nil.
    public var deviceID: String? {
        get { state.withLock(\.deviceID) }
        set { state.withLock { $0.deviceID = newValue } }
    }

    /// The current session; nil before login, after logout and after expiry.
    public var session: AKSession? { session(refreshing: false) }

    /// Starts a session, replacing the current one. Logins in flight have no effect then.
    public func begin(_ session: AKSession) {
        let expiry = session.expiry(from: clock.now)
        state.withLock { state in
            state.session = ActiveSession(session: session, expiry: expiry)
            state.resets += 1
        }
    }

    /// Begins a login; call it on the app's thread, in the order of its calls.
    func beginLogin() -> Login {
        state.withLock { state in
            state.logins += 1
            return Login(number: state.logins, resets: state.resets)
        }
    }

    /// Starts the session of a login.
    /// - Returns: false, without effect, if the app has logged out or set another server meanwhile, or if a login that
    ///   began later has succeeded.
    func begin(_ session: AKSession, by login: Login) -> Bool {
        let expiry = session.expiry(from: clock.now)
        return state.withLock { state in
            guard state.resets == login.resets, state.lastLogin < login.number else { return false }
            state.lastLogin = login.number
            state.session = ActiveSession(session: session, expiry: expiry)
            return true
        }
    }

    /// Drops the session, and ends the logins in flight.
    /// - Returns: the session, if it has not expired.
    func beginLogout() -> AKSession? {
        let now = clock.now
        return state.withLock { state in
            defer {
                state.session = nil
                state.resets += 1
            }
            guard let active = state.session, active.expiry.map({ $0 > now }) ?? true else { return nil }
            return active.session
        }
    }

    /// Drops the session.
    /// - Parameter token: drops the session only if it has this token; nil, the default, drops any session, and ends
    ///   the logins in flight.
    public func end(token: String? = nil) {
        state.withLock { state in
            if token == nil || state.session?.session.token == token { state.session = nil }
            if token == nil { state.resets += 1 }
        }
    }

    /// The current session.
    /// - Parameter refreshing: true restarts its timeout.
    func session(refreshing: Bool) -> AKSession? {
        let now = clock.now
        return state.withLock { state in
            guard let active = state.session else { return nil }
            if let expiry = active.expiry, expiry <= now {
                state.session = nil
                return nil
            }
            if refreshing { state.session?.expiry = active.session.expiry(from: now) }
            return active.session
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
