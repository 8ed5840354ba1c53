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
        var logins = 0

        mutating func endChallenge() {
            question?.finish()
            question = nil
        }
    }

    /// A handler has one challenge at a time.
    private static let key = 0

    private let state = Mutex(State())

    /// The number of challenges that ended with ``Outcome/resend``.
    var logins: Int { state.withLock(\.logins) }

    /// Keeps the client of a registered handler.
    func register(with client: ClientState) { state.withLock { $0.client = client } }

    /// Waits for the end of the challenge.
    /// - Parameter begin: called if this request starts the challenge, to call the handler.
    /// - Returns: ``Outcome/cancel`` when the task is cancelled; the challenge goes on for the others.
    /// - Throws: as ``TurnQueue/ask(_:)``.
    func wait(begin: @escaping @Sendable (RunningWork) -> Void) async throws -> Outcome {
        try await TurnQueue.ask { [self] in
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

    /// Ends the challenge for all requests that wait.
    func end(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            if outcome == .resend, state.question != nil { state.logins += 1 }
            state.endChallenge()
            return state.flights.flight(of: Self.key).map { state.flights.finish($0) } ?? []
        }
        for waiter in waiters { waiter.fulfill(outcome) }
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

    /// Sends a login form of the handler, also without a challenge, as apps do to log out of a gateway.
    /// - Parameter completion: called once, where the client delivers; on the main queue without a registered client.
    func submit(_ form: LoginForm, completion: @escaping @Sendable (Result<WLResponse, WLError>) -> Void) {
        let (client, question) = state.withLock { ($0.client, $0.question) }
        let delivery = client?.delivery ?? .main
        _ = CallHandle.start(delivery: .inline) {
            guard let client else {
                throw WLError(
                    .configuration,
                    "The handler is not registered, so no client sends its login form; call "
                        + "WLClient.registerChallengeHandler at start.")
            }
            return try await form.send(by: client)
        } completion: { result in
            delivery.callBack(for: question) { completion(result.mapError { WLError($0) }) }
        }
    }
}
