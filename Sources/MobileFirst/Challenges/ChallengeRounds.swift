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
        /// The challenges of the current round; they finish with it.
        var questions: [RunningWork] = []
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
    /// The end of the exchange, also by a cancelled task, ends the wait; then no handler is called any more.
    func challenge(_ challenges: [String: JSONValue]) async -> Action {
        let questions = challenges.sorted { $0.key < $1.key }.map { ($0, RunningWork.question()) }
        let next = Promise<Action>()
        state.withLock { ($0.next, $0.questions) = (next, questions.map(\.1)) }
        return await withTaskCancellationHandler {
            for ((name, challenge), question) in questions where question.isUnfinished {
                deliver(challenge, to: name, question)
            }
            return await next.value
        } onCancel: {
            receive(.cancelled)
        }
    }

    private func deliver(_ challenge: JSONValue, to name: String, _ question: RunningWork) {
        guard let box = handlers.check(name) else {
            return receive(.aborted(name, .cancelled))
        }
        let isAsking = AuthorizationQueue.isAsking
        delivery.callBack(for: question) { [self] in
            // The challenge may have ended before the callback runs: its dialog would be for the next user or server.
            guard question.isUnfinished, isAsking() else { return }
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
        let (action, next, finished) = state.withLock { state -> (Action, Promise<Action>?, [RunningWork]) in
            let action = state.machine.handle(event)
            guard action != .wait, action != .ignore else { return (action, nil, []) }
            defer { state.questions = [] }
            return (action, state.next.take(), state.questions)
        }
        for question in finished { question.finish() }
        next?.fulfill(action)
    }
}
