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
        /// Handlers that others of their names have replaced while calls wait for their challenges.
        var replaced: [Box<GatewayChallengeHandler>] = []
    }

    private let state = Mutex(State())

    /// Registers a handler of a client.
    /// - Returns: false if it is of neither kind.
    func register(_ handler: BaseChallengeHandler, with client: ClientState) -> Bool {
        if let handler = handler as? SecurityCheckChallengeHandler {
            let box = Box(handler: handler)
            state.withLock { $0.checks[box.handler.name] = box }
        } else if let handler = handler as? GatewayChallengeHandler {
            let box = Box(handler: handler)
            handler.challenge.register(with: client)
            state.withLock { state in
                state.replaced += state.gateways.filter { $0.handler.name == box.handler.name }
                state.replaced.removeAll { $0.handler === box.handler || $0.handler.challenge.isIdle }
                state.gateways.removeAll { $0.handler.name == box.handler.name }
                state.gateways.append(box)
            }
        } else {
            return false
        }
        return true
    }

    /// The names of the checks with handlers.
    var names: Set<String> { Set(state.withLock(\.checks).keys) }

    /// The handler of a check.
    func check(_ name: String) -> Box<SecurityCheckChallengeHandler>? { state.withLock { $0.checks[name] } }

    /// The handlers of gateways, in the order of their registration.
    var gateways: [Box<GatewayChallengeHandler>] { state.withLock(\.gateways) }

    /// Ends the challenges of gateways, whose calls are of a former user or an earlier server.
    func endGatewayChallenges() {
        let boxes = state.withLock { state in
            defer { state.replaced = [] }
            return state.gateways + state.replaced
        }
        for box in boxes { box.handler.challenge.end(.sessionEnded) }
    }

    /// The number of successful logins at gateways so far.
    var gatewayLogins: Int { gateways.reduce(0) { count, box in count + box.handler.challenge.logins } }

    /// All handlers.
    var all: Box<[BaseChallengeHandler]> {
        let (checks, gateways) = state.withLock { ($0.checks, $0.gateways) }
        return Box(handler: checks.sorted { $0.key < $1.key }.map(\.value.handler) + gateways.map(\.handler))
    }

    /// The end of a preauthorization: identities or failures by check.
    enum Report: Sendable {
        case successes([String: JSONValue])
        case failures([String: JSONValue])
    }

    /// Calls `handleSuccess` or `handleFailure` of the handlers, by name.
    func deliver(_ report: Report, on delivery: Delivery) {
        let (members, isSuccess) =
            switch report {
            case .successes(let members): (members, true)
            case .failures(let members): (members, false)
            }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            guard let box = check(name) else { continue }
            delivery.callBack {
                let values = member.object?.foundationMembers ?? [:]
                if isSuccess { box.handler.handleSuccess(values) } else { box.handler.handleFailure(values) }
            }
        }
    }
}
