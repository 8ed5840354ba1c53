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
        var waiter: CheckedContinuation<Action, Never>?
        var isStopped = false
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
    /// ``stop()`` and cancelling the task end the wait; after either, no handler is called.
    func challenge(_ challenges: [String: JSONValue]) async -> Action {
        let questions = challenges.sorted { $0.key < $1.key }.map { ($0, RunningWork.question()) }
        defer { for (_, question) in questions { question.finish() } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isStopped = state.withLock { state in
                    state.waiter = waiter
                    return state.isStopped
                }
                // The cancellation handler has no effect before there is a waiter.
                guard !isStopped, !Task.isCancelled else { return cancel() }
                for ((name, challenge), question) in questions { deliver(challenge, to: name, question) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the wait, and all later ones.
    func stop() {
        state.withLock { $0.isStopped = true }
        cancel()
    }

    private func deliver(_ challenge: JSONValue, to name: String, _ question: RunningWork) {
        guard let box = handlers.check(name) else {
            return receive(.aborted(name, .cancelled))
        }
        delivery.callBack(for: question) { [self] in
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
        let resumed = state.withLock { state -> (Action, CheckedContinuation<Action, Never>)? in
            let action = state.machine.handle(event)
            guard action != .wait, action != .ignore, let waiter = state.waiter.take() else { return nil }
            return (action, waiter)
        }
        resumed?.1.resume(returning: resumed?.0 ?? .ignore)
    }

    private func cancel() {
        guard let check = state.withLock({ $0.waiter == nil ? nil : $0.machine.pending.min() }) else { return }
        receive(.aborted(check, .cancelled))
    }
}
