import HTTPMessages
public import RequestModel
import Synchronization
import Transport

/// An app scope on an Akula server: its base URL, the session of whoever is logged in, and the device's name.
///
/// The vendor has one for the whole program, ``shared``, which `AKServerAgent.initialize` sets up. Agents can be given
/// scopes of their own. May be used from any thread.
public final class AKAppScope: Sendable {
    private struct State {
        var base: Result<BaseURL, AKError>
        var session: ActiveSession?
        var deviceID: String?
    }
    private struct ActiveSession {
        let session: AKSession
        var expiry: Duration?
    }

    /// The scope of `AKServerAgent()` and of ``AKSession/current``.
    public static let shared = AKAppScope()

    private let state: Mutex<State>
    private let timeline: Timeline

    /// A scope without a base URL; calls fail until it has one.
    /// - Parameter clock: counts the session's timeout.
    public init(clock: some Clock<Duration> = ContinuousClock()) {
        state = Mutex(State(base: .failure(.notInitialized)))
        timeline = Timeline(clock)
    }

    /// A scope at a base URL.
    /// - Parameter clock: counts the session's timeout.
    /// - Throws: ``AKError`` (`configuration`) when it is no absolute http or https URL, or holds a user or password.
    public convenience init(_ baseURL: String, clock: some Clock<Duration> = ContinuousClock()) throws(AKError) {
        self.init(clock: clock)
        try initialize(baseURL)
    }

    /// Sets the base URL. An existing session is kept when it is the same URL, in any spelling (`BaseURL.isEquivalent`),
    /// and dropped otherwise.
    /// - Throws: ``AKError`` (`configuration`); calls then fail with the same error until a good URL is set.
    public func initialize(_ baseURL: String) throws(AKError) {
        let base = Result { () throws(HTTPMessageError) in try BaseURL(baseURL) }.mapError { error in
            AKError(.configuration, "The base URL cannot be used. \(error.message)", underlying: error)
        }
        state.withLock { state in
            if !state.base.isEquivalent(to: base) { state.session = nil }
            state.base = base
        }
        _ = try base.get()
    }

    /// The base URL.
    /// - Throws: ``AKError`` (`configuration`) when there is none.
    public var baseURL: BaseURL {
        get throws(AKError) { try state.withLock(\.base).get() }
    }

    /// The device's name, which goes with every call as `X-Ak-Device-Id`; default none.
    public var deviceID: String? {
        get { state.withLock(\.deviceID) }
        set { state.withLock { $0.deviceID = newValue } }
    }

    /// The session, or nil when nobody is logged in or the session has expired.
    public var session: AKSession? { session(refreshing: false) }

    /// Starts a session, which takes the place of the one before.
    public func begin(_ session: AKSession) {
        let expiry = session.expiry(from: timeline.now)
        state.withLock { $0.session = ActiveSession(session: session, expiry: expiry) }
    }

    /// Drops the session.
    /// - Parameter token: drops it only if it has this token; default whichever it is.
    public func end(token: String? = nil) {
        state.withLock { state in
            if token == nil || state.session?.session.token == token { state.session = nil }
        }
    }

    /// The session for a call, whose timeout starts anew.
    func sessionForCall() -> AKSession? { session(refreshing: true) }

    private func session(refreshing: Bool) -> AKSession? {
        let now = timeline.now
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
    /// True when both are a URL, and the same one.
    fileprivate func isEquivalent(to other: Self) -> Bool {
        guard case .success(let left) = self, case .success(let right) = other else { return false }
        return left.isEquivalent(to: right)
    }
}

extension AKSession {
    /// When it expires without another call; a timeout past a hundred years counts as that, so that nothing overflows.
    fileprivate func expiry(from now: Duration) -> Duration? {
        timeout.map { now + min($0, .seconds(100 * 365 * 86_400)) }
    }
}
