import HTTPMessages

/// The rounds of challenges of one preauthorization, as a state machine without I/O.
///
/// ```
/// ready    -start->                     sending   send the given credentials
/// sending  -response: successes->       finished  succeed
/// sending  -response: challenges->      waiting   challenge their handlers
/// sending  -response: challenges->      finished  missing handler, if one has no handler
/// sending  -response: failures->        finished  fail
/// sending  -response: other->           finished  unexpected
/// waiting  -submitted, others pending->  waiting   wait
/// waiting  -submitted, last->            sending   send all credentials
/// waiting  -aborted->                   finished  abort
/// waiting  -cancelled->                 finished  abort, with one of the pending checks
/// any      -any other event->           same      ignore
/// ```
/// A challenge `directUpdate` comes alone: the server sends the others again when it is answered.
struct Preauthorization: Sendable {
    enum Event: Sendable {
        case start([String: JSONValue])
        case response(PreauthorizationResponse)
        case submitted(String, JSONValue)
        case aborted(String, Abort)
        /// No call waits for the credentials any more.
        case cancelled
    }

    /// Why a handler ends a preauthorization.
    enum Abort: Hashable, Sendable {
        case cancelled
        /// The credential is not JSON; the reason.
        case invalidCredential(String)
    }

    enum Action: Hashable, Sendable {
        case send([String: JSONValue])
        case challenge([String: JSONValue])
        case wait
        case succeed([String: JSONValue])
        case fail([String: JSONValue])
        case missingHandler(String)
        case abort(String, Abort)
        case unexpected
        case ignore
    }

    private enum State: Sendable {
        case ready
        case sending
        case waiting(pending: Set<String>, credentials: [String: JSONValue])
        case finished
    }

    /// The checks that have handlers.
    let handled: Set<String>
    private var state = State.ready

    init(handled: Set<String>) { self.handled = handled }

    mutating func handle(_ event: Event) -> Action {
        switch (state, event) {
        case (.ready, .start(let credentials)):
            state = .sending
            return .send(credentials)
        case (.sending, .response(let response)):
            return receive(response)
        case (.waiting(var pending, var credentials), .submitted(let check, let credential)):
            guard pending.remove(check) != nil else { return .ignore }
            credentials[check] = credential
            guard pending.isEmpty else {
                state = .waiting(pending: pending, credentials: credentials)
                return .wait
            }
            state = .sending
            return .send(credentials)
        case (.waiting(let pending, _), .aborted(let check, let reason)):
            guard pending.contains(check) else { return .ignore }
            state = .finished
            return .abort(check, reason)
        case (.waiting(let pending, _), .cancelled):
            guard let check = pending.min() else { return .ignore }
            state = .finished
            return .abort(check, .cancelled)
        default:
            return .ignore
        }
    }

    private mutating func receive(_ response: PreauthorizationResponse) -> Action {
        state = .finished
        switch response {
        case .successes(let successes): return .succeed(successes)
        case .failures(let failures): return .fail(failures)
        case .other: return .unexpected
        case .challenges(var challenges):
            if let update = challenges["directUpdate"], handled.contains("directUpdate") {
                challenges = ["directUpdate": update]
            }
            if let check = challenges.keys.sorted().first(where: { !handled.contains($0) }) {
                return .missingHandler(check)
            }
            state = .waiting(pending: Set(challenges.keys), credentials: [:])
            return .challenge(challenges)
        }
    }
}
