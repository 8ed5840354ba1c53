import HTTPMessages

/// The rounds of challenges of one preauthorization, as a state machine without I/O.
///
/// ```
/// ready    -start->                     sending   send the given answers
/// sending  -response: successes->       finished  succeed
/// sending  -response: challenges->      waiting   challenge their handlers
/// sending  -response: challenges->      finished  missing handler, if one has no handler
/// sending  -response: failures->        finished  fail
/// sending  -response: other->           finished  unexpected
/// waiting  -answered, others pending->  waiting   wait
/// waiting  -answered, last->            sending   send all answers
/// waiting  -aborted->                   finished  abort
/// any      -any other event->           same      ignore
/// ```
/// A challenge `directUpdate` comes alone: the server sends the others again when it is answered.
struct Preauthorization: Sendable {
    enum Event: Sendable {
        case start([String: JSONValue])
        case response(PreauthorizationResponse)
        case answered(String, JSONValue)
        case aborted(String, Abort)
    }

    /// Why a handler ends a preauthorization.
    enum Abort: Hashable, Sendable {
        case cancelled
        /// The answer is not JSON; the reason.
        case invalidAnswer(String)
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
        case waiting(pending: Set<String>, answers: [String: JSONValue])
        case finished
    }

    /// The checks that have handlers.
    let handled: Set<String>
    private var state = State.ready

    init(handled: Set<String>) { self.handled = handled }

    /// The checks whose handlers have not answered yet.
    var pending: Set<String> { if case .waiting(let pending, _) = state { pending } else { [] } }

    mutating func handle(_ event: Event) -> Action {
        switch (state, event) {
        case (.ready, .start(let answers)):
            state = .sending
            return .send(answers)
        case (.sending, .response(let response)):
            return receive(response)
        case (.waiting(var pending, var answers), .answered(let check, let answer)):
            guard pending.remove(check) != nil else { return .ignore }
            answers[check] = answer
            guard pending.isEmpty else {
                state = .waiting(pending: pending, answers: answers)
                return .wait
            }
            state = .sending
            return .send(answers)
        case (.waiting(let pending, _), .aborted(let check, let reason)):
            guard pending.contains(check) else { return .ignore }
            state = .finished
            return .abort(check, reason)
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
            state = .waiting(pending: Set(challenges.keys), answers: [:])
            return .challenge(challenges)
        }
    }
}
