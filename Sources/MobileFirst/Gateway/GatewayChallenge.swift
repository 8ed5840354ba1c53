import Authentication
import Coordination
import Delegation
import Foundation
import HTTPMessages
import Synchronization
import Transport

/// The challenge of a gateway: the requests that wait for its end.
final class GatewayChallenge: Sendable {
    /// How a challenge ends for the requests that wait for it.
    enum Outcome: Hashable, Sendable {
        case resend
        case cancel
        /// The app has logged out, or set another server.
        case sessionEnded
    }

    private typealias Waiter = Promise<Outcome>

    private struct State {
        /// The challenge is a flight, and the requests wait for it.
        var flights = SingleFlight<Int, Waiter>()
        /// The client that sends login forms: the one with which the handler was registered last.
        var client: ClientState?
        /// The current challenge; nil without one.
        var question: RunningWork?
        /// The login forms of challenges that are being sent. The end of the session cancels them.
        var forms: [Promise<Bool>] = []
        var logins = 0
        /// The number of sessions that have ended.
        var endedSessions = 0

        mutating func endChallenge() {
            question?.finish()
            question = nil
        }
    }

    /// The challenge whose handler is told of a form of a former session.
    @TaskLocal private static var former: GatewayChallenge?

    /// A handler has one challenge at a time.
    private static let key = 0

    private let state = Mutex(State())

    /// The number of challenges that ended with ``Outcome/resend``.
    var logins: Int { state.withLock(\.logins) }

    /// True if no request waits for a challenge, and no login form of one is being sent.
    var isIdle: Bool { state.withLock { $0.question == nil && $0.forms.isEmpty } }

    /// Keeps the client of a registered handler.
    func register(with client: ClientState) { state.withLock { $0.client = client } }

    /// Waits for the end of the challenge.
    /// - Parameter begin: called if this request starts the challenge, to call the handler.
    /// - Returns: ``Outcome/cancel`` when the task is cancelled; the challenge goes on for the others.
    /// - Throws: as ``AuthorizationQueue/ask(_:)``.
    func wait(begin: @escaping @Sendable (RunningWork) -> Void) async throws -> Outcome {
        try await AuthorizationQueue.ask { [self] in
            guard !Task.isCancelled else { return .cancel }
            let waiter = Waiter()
            // The task's own refreshes belong to a challenge that it begins.
            let question = RunningWork.question(about: self)
            let (id, isNew) = state.withLock { state in
                let id = state.flights.makeID()
                let isNew = state.flights.join(waiter, id: id, for: Self.key).isNew
                if isNew { state.question = question }
                return (id, isNew)
            }
            if isNew { begin(question) }
            return await waiter.value { cancel(id) }
        }
    }

    /// Ends the challenge for all requests that wait. No effect by a handler that is told of a form of a former
    /// session: the challenge is that of the next user.
    func end(_ outcome: Outcome) {
        guard outcome == .sessionEnded || Self.former !== self else { return }
        let (waiters, forms) = state.withLock { state in
            if outcome == .resend, state.question != nil { state.logins += 1 }
            if outcome == .sessionEnded { state.endedSessions += 1 }
            state.endChallenge()
            let waiters = state.flights.flight(of: Self.key).map { state.flights.finish($0) } ?? []
            return (waiters, outcome == .sessionEnded ? state.forms : [])
        }
        for waiter in waiters { waiter.fulfill(outcome) }
        for form in forms { form.fulfill(true) }
    }

    /// Ends one request; the challenge goes on for the others.
    private func cancel(_ id: UInt64) {
        let cancelled = state.withLock { state in
            let cancelled = state.flights.cancel(id)
            if cancelled?.abandonedFlight != nil { state.endChallenge() }
            return cancelled
        }
        cancelled?.waiter.fulfill(.cancel)
    }

    /// Calls code of the app, which is told of no form of a former session.
    static func leave(_ callback: () -> Void) { $former.withValue(nil) { callback() } }

    /// Sends a login form of the handler, also without a challenge, as apps do to log out of a gateway.
    ///
    /// The end of the session cancels the form of a challenge, and no cookie of it is kept: it would be that of the
    /// former user. A form without one may be that of the logout, and goes on. One that the handler sends when it is
    /// told of such an end is dropped: it would sign the former user in again.
    /// - Parameter completion: called once unless the form is dropped, where the client delivers; on the main queue
    ///   without a registered client.
    func submit(_ form: LoginForm, completion: @escaping @Sendable (Result<WLResponse, WLError>) -> Void) {
        guard Self.former !== self else { return }
        let end = Promise<Bool>()
        let (client, question, session) = state.withLock { state in
            if state.question != nil { state.forms.append(end) }
            return (state.client, state.question, state.endedSessions)
        }
        let delivery = client?.delivery ?? .main
        var isKept: (@Sendable () -> Bool)?
        if question != nil { isKept = { [self] in state.withLock { $0.endedSessions == session } } }
        _ = CallHandle.start(delivery: .inline) { [isKept] in
            guard let client else {
                throw WLError(
                    .configuration,
                    "The handler is not registered, so no client sends its login form; call "
                        + "WLClient.registerChallengeHandler at start.")
            }
            return try await end.runCancellable { try await form.send(by: client, keepingCookiesIf: isKept) }
        } completion: { [self] result in
            state.withLock { state in state.forms.removeAll { $0 === end } }
            delivery.callBack(for: question) { [self] in
                let isOfFormerSession = state.withLock { $0.endedSessions != session }
                Self.$former.withValue(isOfFormerSession ? self : nil) {
                    completion(result.mapError { WLError($0) })
                }
            }
        }
    }
}
