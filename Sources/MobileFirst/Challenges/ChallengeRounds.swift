import Authentication
import Coordination
import Delegation
import HTTPMessages
import Synchronization

/// Runs the rounds of challenges: hands challenges to the handlers and waits for their credentials.
///
/// The rules are those of ``Preauthorization``.
final class ChallengeRounds: Sendable {
    typealias Action = Preauthorization.Action

    private struct State {
        var machine: Preauthorization
        /// The next action, for which the exchange waits.
        var next: Promise<Action>?
    }

    private let handlers: HandlerRegistry
    private let delivery: Delivery
    private let state: Mutex<State>

    init(_ handlers: HandlerRegistry, delivery: Delivery) {
        self.handlers = handlers
        self.delivery = delivery
        state = Mutex(State(machine: Preauthorization(handled: handlers.names)))
    }

    /// Handles an event of the exchange with the server.
    func handle(_ event: Preauthorization.Event) -> Action { state.withLock { $0.machine.handle(event) } }

    /// Calls the handlers of challenges, by name, and waits until all have submitted or one ends the exchange.
    ///
    /// Cancelling the task ends the wait; then no handler is called any more.
    func challenge(_ challenges: [String: JSONValue]) async -> Action {
        let questions = challenges.sorted { $0.key < $1.key }.map { ($0, RunningWork.question()) }
        defer { for (_, question) in questions { question.finish() } }
        let next = Promise<Action>()
        state.withLock { $0.next = next }
        for ((name, challenge), question) in questions where !Task.isCancelled {
            deliver(challenge, to: name, question)
        }
        return await next.value { cancel() }
    }

    private func deliver(_ challenge: JSONValue, to name: String, _ question: RunningWork) {
        guard let box = handlers.check(name) else {
            return receive(.aborted(name, .cancelled))
        }
        delivery.callBack(for: question) { [self] in
            // The challenge may have ended before the callback runs: its dialog would be for the next user or server.
            guard question.isUnfinished else { return }
            // Weak: after the end of the rounds the handler may keep this.
            box.handler.pending.begin { [weak self] result in
                question.finish()
                switch result {
                case .success(let credential): self?.receive(.submitted(name, credential))
                case .failure(let abort): self?.receive(.aborted(name, abort.reason))
                }
            }
            box.handler.handleChallenge(challenge.object?.foundationMembers ?? [:])
        }
    }

    /// Handles an event of a handler, and resumes the exchange unless it waits for others.
    private func receive(_ event: Preauthorization.Event) {
        let (action, next) = state.withLock { state in
            let action = state.machine.handle(event)
            return (action, action == .wait || action == .ignore ? nil : state.next.take())
        }
        next?.fulfill(action)
    }

    private func cancel() {
        guard let check = state.withLock({ $0.next == nil ? nil : $0.machine.pending.min() }) else { return }
        receive(.aborted(check, .cancelled))
    }
}
