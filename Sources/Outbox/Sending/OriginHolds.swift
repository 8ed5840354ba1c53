/// The origins that did not respond, and the times until which no entry is sent to them: a state machine without I/O.
///
/// ```
/// responding -no response->  held, for the first backoff
/// held       -no response->  held, for the next backoff
/// any        -response, or the network is back-> responding
/// ```
struct OriginHolds: Hashable, Sendable {
    private struct Hold: Hashable, Sendable {
        var failures: Int
        var end: Duration
    }

    private var holds: [String: Hold] = [:]

    /// The number of attempts without a response since the last one.
    func failures(of origin: String) -> Int { holds[origin]?.failures ?? 0 }

    /// Notes an attempt without a response.
    /// - Parameter end: the time until which the origin is held.
    mutating func failed(_ origin: String, until end: Duration) {
        let old = holds[origin]
        holds[origin] = Hold(failures: (old?.failures ?? 0) + 1, end: max(end, old?.end ?? end))
    }

    /// Notes a response.
    mutating func responded(_ origin: String) { holds[origin] = nil }

    /// Ends all holds.
    mutating func clear() { holds = [:] }

    /// The origins that are held now.
    func held(at now: Duration) -> Set<String> { Set(holds.lazy.filter { $0.value.end > now }.map(\.key)) }

    /// The earliest end of a hold after now; nil without one.
    func nextEnd(after now: Duration) -> Duration? { holds.values.lazy.map(\.end).filter { $0 > now }.min() }
}
