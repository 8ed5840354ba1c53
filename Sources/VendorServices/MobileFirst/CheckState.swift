import HTTPMessages

/// State machine of one security check for one client.
///
/// | phase | event | next phase | outcome |
/// |---|---|---|---|
/// | open | no credential | open | challenged |
/// | open, passed | right credential | passed, all attempts again | passed |
/// | open, passed | wrong credential, attempts left | open, one attempt less | challenged |
/// | open, passed | wrong credential, last attempt | blocked | failed |
/// | passed | no credential | passed | passed |
/// | passed | lifetime over, logout | open | |
/// | blocked | any request | blocked | failed |
/// | blocked | duration over | open, all attempts again | |
struct CheckState {
    enum Phase {
        case open
        case passed(JSONValue, until: Duration)
        case blocked(until: Duration)
    }
    /// The verdict on a client's credential.
    enum Verdict {
        case right(JSONValue)
        case wrong
    }
    enum Outcome: Equatable {
        case passed(JSONValue)
        case challenged(JSONValue)
        case failed(JSONValue)
    }

    private let check: MobileFirstService.SecurityCheck
    private var phase = Phase.open
    private var remaining: Int

    init(_ check: MobileFirstService.SecurityCheck) {
        self.check = check
        remaining = check.attempts
    }

    /// The success object, if the check is passed.
    func identity(at now: Duration) -> JSONValue? {
        if case .passed(let identity, let end) = phase, now < end { identity } else { nil }
    }

    /// Handles a preauthorization.
    mutating func receive(_ verdict: Verdict?, at now: Duration) -> Outcome {
        expire(at: now)
        if case .blocked = phase { return .failed(Self.blocked) }
        switch verdict {
        case .right(let identity):
            remaining = check.attempts
            phase = .passed(identity, until: now + check.successLifetime)
            return .passed(identity)
        case .wrong:
            remaining -= 1
            guard remaining > 0 else {
                block(at: now)
                return .failed(Self.blocked)
            }
            phase = .open
            return .challenged(challenge("Invalid credentials"))
        case nil:
            if case .passed(let identity, _) = phase { return .passed(identity) }
            return .challenged(challenge(nil))
        }
    }

    /// Ends a success. A block stays.
    mutating func logOut() {
        if case .passed = phase { phase = .open }
    }

    /// Blocks the client, as too many wrong credentials do.
    mutating func block(at now: Duration) { phase = .blocked(until: now + check.blockDuration) }

    /// The challenge with the attempts that remain.
    func challenge(_ message: String?) -> JSONValue {
        ["errorMsg": message.map(JSONValue.string) ?? .null, "remainingAttempts": .integer(Int64(remaining))]
    }

    /// The failure of a blocked client.
    static let blocked: JSONValue = ["failure": "Account blocked"]

    private mutating func expire(at now: Duration) {
        switch phase {
        case .passed(_, let end) where end <= now: phase = .open
        case .blocked(let end) where end <= now:
            phase = .open
            remaining = check.attempts
        default: break
        }
    }
}
