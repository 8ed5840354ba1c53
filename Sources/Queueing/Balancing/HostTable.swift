/// The hosts of a list, as a state machine without clock and transport.
///
/// ```
/// awake   -failure->       resting   (a second, doubled with each failure in a row)
/// resting -end of rest->   awake
/// any     -success->       awake     (failures forgotten)
/// ```
/// An attempt that started before the last change of its host says nothing about the host now.
struct HostTable {
    enum Outcome: Hashable {
        case success
        /// - `retryAfter`: as the server or an open circuit says.
        case failure(retryAfter: Duration?)
        /// Says nothing about the host, such as a cancellation.
        case unknown

        var isFailure: Bool { if case .failure = self { true } else { false } }
    }

    private struct Host {
        var failures = 0
        var restsUntil = Duration.zero
        var changed = Duration.zero
    }

    private let hosts: HostList
    private var states: [Host]
    /// The next host of a round.
    private var turn = 0

    init(_ hosts: HostList) {
        self.hosts = hosts
        states = Array(repeating: Host(), count: hosts.urls.count)
    }

    /// The host for the next attempt of a call.
    ///
    /// If all hosts rest, the first attempt goes to the one whose rest ends first: an attempt is better than none.
    /// - Parameters:
    ///   - eligible: the hosts that may get the call.
    ///   - tried: those that have got it.
    mutating func next(_ eligible: [Int], tried: [Int], now: Duration) -> Int? {
        let left = eligible.filter { !tried.contains($0) }
        let awake = left.filter { states[$0].restsUntil <= now }
        guard !awake.isEmpty else {
            guard tried.isEmpty else { return nil }
            return left.min { states[$0].restsUntil < states[$1].restsUntil }
        }
        guard hosts.order == .roundRobin else { return awake[0] }
        let host = awake.first { $0 >= turn } ?? awake[0]
        // Moving on does not take the turn of another call.
        if tried.isEmpty { turn = (host + 1) % states.count }
        return host
    }

    /// Reports the end of an attempt.
    mutating func ended(_ host: Int, _ outcome: Outcome, started: Duration, now: Duration) {
        guard outcome != .unknown, started >= states[host].changed else { return }
        switch outcome {
        case .success:
            states[host] = Host(changed: states[host].failures == 0 ? states[host].changed : now)
        case .failure(let retryAfter):
            let failures = min(states[host].failures + 1, 30)
            let rest = hosts.firstRest.bounded * (1 << (failures - 1))
            let longest = hosts.maximumRest.bounded
            states[host] = Host(
                failures: failures, restsUntil: now + min(max(rest, retryAfter?.bounded ?? .zero), longest),
                changed: now)
        case .unknown: break
        }
    }

    /// The time until the rest of a host ends; zero if it does not rest.
    func rest(of host: Int, now: Duration) -> Duration { max(.zero, states[host].restsUntil - now) }
}
