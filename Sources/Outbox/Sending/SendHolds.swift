/// Origins that did not respond and users that have signed out, with the ends of their holds.
///
/// A state machine without I/O: nothing is sent to an origin, or for a user, that is held.
///
/// ```
/// free -no response, signed out->  held, for the first backoff
/// held -no response, signed out->  held, for the next backoff
/// any  -response, signed in, or the network is back-> free
/// ```
struct SendHolds: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case origin(String)
        case user(String)
    }

    private struct Hold: Hashable, Sendable {
        var failures: Int
        var end: Duration
    }

    private var holds: [Subject: Hold] = [:]

    /// The number of failures since the last success.
    func failures(of subject: Subject) -> Int { holds[subject]?.failures ?? 0 }

    /// Notes an attempt without a response, or that a user has signed out.
    /// - Parameter end: the time until which the subject is held.
    mutating func failed(_ subject: Subject, until end: Duration) {
        let old = holds[subject]
        holds[subject] = Hold(failures: (old?.failures ?? 0) + 1, end: max(end, old?.end ?? end))
    }

    /// Notes a response, or that a user has signed in.
    mutating func succeeded(_ subject: Subject) { holds[subject] = nil }

    /// Ends all holds.
    mutating func clear() { holds = [:] }

    /// True if a subject is held now.
    func isHeld(_ subject: Subject, at now: Duration) -> Bool { holds[subject].map { $0.end > now } ?? false }

    /// The subjects that are held now.
    func held(at now: Duration) -> Set<Subject> { Set(holds.lazy.filter { $0.value.end > now }.map(\.key)) }

    /// The earliest end of a hold after now; nil without one.
    func nextEnd(after now: Duration) -> Duration? { holds.values.lazy.map(\.end).filter { $0 > now }.min() }
}
