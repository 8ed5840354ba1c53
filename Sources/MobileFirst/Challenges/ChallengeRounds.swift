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
    /// Cancelling the task ends the wait; if it is cancelled already, no handler is called.
    func challenge(_ challenges: [String: JSONValue]) async -> Action {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                state.withLock { $0.waiter = waiter }
                // The cancellation handler has no effect before there is a waiter.
                guard !Task.isCancelled else { return cancel() }
                for (name, challenge) in challenges.sorted(by: { $0.key < $1.key }) { deliver(challenge, to: name) }
            }
        } onCancel: {
            cancel()
        }
    }

    private func deliver(_ challenge: JSONValue, to name: String) {
        guard let box = handlers.check(name) else {
            return receive(.aborted(name, .cancelled))
        }
        delivery.callBack { [self] in
            // Weak: after the end of the rounds the handler may keep this.
            box.handler.pending.begin { [weak self] result in
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
