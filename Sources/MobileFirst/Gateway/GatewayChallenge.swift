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
        /// The client got another server.
        case sessionEnded
    }

    private enum Wait: Sendable {
        /// There is no waiter yet.
        case beginning
        case waiting(CheckedContinuation<Outcome, Never>)
        /// Ended before there was a waiter.
        case ended
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var nextID: UInt64 = 0
        /// The client that sends login forms: the one with which the handler was registered last.
        var client: ClientState?
        /// The current challenge; nil without one.
        var question: RunningWork?
        var logins = 0

        var isAwaited: Bool { waits.values.contains { if case .waiting = $0 { true } else { false } } }

        /// Removes the waiters, in their order.
        mutating func takeWaiters() -> [CheckedContinuation<Outcome, Never>] {
            waits.sorted { $0.key < $1.key }.compactMap { id, wait in
                guard case .waiting(let waiter) = wait else { return nil }
                waits[id] = nil
                return waiter
            }
        }

        mutating func endChallenge() {
            question?.finish()
            question = nil
        }
    }

    private let state = Mutex(State())

    /// The number of challenges that ended with ``Outcome/resend``.
    var logins: Int { state.withLock(\.logins) }

    /// Keeps the client of a registered handler.
    func register(with client: ClientState) { state.withLock { $0.client = client } }

    /// Waits for the end of the challenge.
    /// - Parameter begin: called if this request starts the challenge, to call the handler.
    /// - Throws: as ``TurnQueue/ask(stop:_:)``.
    func wait(begin: (RunningWork) -> Void) async throws -> Outcome {
        let id = state.withLock { state in
            state.nextID += 1
            state.waits[state.nextID] = .beginning
            return state.nextID
        }
        defer { state.withLock { $0.waits[id] = nil } }
        return try await TurnQueue.ask(stop: { self.cancel(id) }) {
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in
                    guard let question = join(id, waiter) else { return waiter.resume(returning: .cancel) }
                    if question.isNew { begin(question.value) }
                }
            } onCancel: {
                cancel(id)
            }
        }
    }

    /// Adds a waiter, and begins a challenge if there is none; nil if the wait has ended already.
    private func join(
        _ id: UInt64, _ waiter: CheckedContinuation<Outcome, Never>
    ) -> (value: RunningWork, isNew: Bool)? {
        // The task's own refreshes belong to a challenge that it begins.
        let new = RunningWork.question(about: self)
        return state.withLock { state in
            guard case .beginning? = state.waits[id] else { return nil }
            state.waits[id] = .waiting(waiter)
            if let question = state.question { return (question, false) }
            state.question = new
            return (new, true)
        }
    }

    /// Ends the challenge for all requests that wait.
    func end(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            if outcome == .resend, state.question != nil { state.logins += 1 }
            state.endChallenge()
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    /// Ends one request; the challenge goes on for the others.
    private func cancel(_ id: UInt64) {
        let wait = state.withLock { state in
            guard let wait = state.waits[id] else { return nil as Wait? }
            state.waits[id] = .ended
            if !state.isAwaited { state.endChallenge() }
            return wait
        }
        if case .waiting(let waiter)? = wait { waiter.resume(returning: .cancel) }
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
