import Delegation
import HTTPMessages
import Synchronization

/// The registered challenge handlers.
final class HandlerRegistry: Sendable {
    /// A handler. Unchecked because it is of a class of the app: it is called only where callbacks are delivered.
    struct Box<Handler>: @unchecked Sendable { let handler: Handler }

    private struct State {
        var checks: [String: Box<SecurityCheckChallengeHandler>] = [:]
        var gateways: [Box<GatewayChallengeHandler>] = []
    }

    private let state = Mutex(State())

    func register(_ handler: BaseChallengeHandler) {
        if let handler = handler as? SecurityCheckChallengeHandler {
            let box = Box(handler: handler)
            state.withLock { $0.checks[box.handler.name] = box }
        } else if let handler = handler as? GatewayChallengeHandler {
            let box = Box(handler: handler)
            state.withLock { state in
                state.gateways.removeAll { $0.handler.name == box.handler.name }
                state.gateways.append(box)
            }
        }
    }

    /// The names of the checks with handlers.
    var names: Set<String> { Set(state.withLock(\.checks).keys) }

    /// The handler of a check.
    func check(_ name: String) -> Box<SecurityCheckChallengeHandler>? { state.withLock { $0.checks[name] } }

    /// The handlers of gateways, in the order of their registration.
    var gateways: [Box<GatewayChallengeHandler>] { state.withLock(\.gateways) }

    /// All handlers.
    var all: Box<[BaseChallengeHandler]> {
        let (checks, gateways) = state.withLock { ($0.checks, $0.gateways) }
        return Box(handler: checks.sorted { $0.key < $1.key }.map(\.value.handler) + gateways.map(\.handler))
    }

    /// Calls `handleSuccess` of the handlers.
    func report(successes: [String: JSONValue], on delivery: Delivery) {
        for (name, identity) in successes {
            guard let box = check(name) else { continue }
            delivery.deliver { box.handler.handleSuccess(identity.object?.foundationMembers ?? [:]) }
        }
    }

    /// Calls `handleFailure` of the handlers.
    func report(failures: [String: JSONValue], on delivery: Delivery) {
        for (name, failure) in failures {
            guard let box = check(name) else { continue }
            delivery.deliver { box.handler.handleFailure(failure.object?.foundationMembers ?? [:]) }
        }
    }
}
