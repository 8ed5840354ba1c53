/// State machine of a server's nonces (RFC 7616, section 3.3).
///
/// | phase | event | next phase | outcome |
/// |---|---|---|---|
/// | valid | use with a new count, or without one | valid | accepted |
/// | valid | use with a count used before | valid | repeated |
/// | valid | lifetime over, all expire | stale | |
/// | stale | use | stale | stale |
/// | never issued, or stale for another lifetime | use | | unknown |
struct NonceTable {
    enum Outcome: Equatable {
        case accepted
        case repeated
        case stale
        case unknown
    }

    private struct Nonce {
        var expiry: Duration
        var isStale = false
        var counts: Set<UInt32> = []
    }

    private let lifetime: Duration
    private var nonces: [String: Nonce] = [:]

    init(lifetime: Duration) { self.lifetime = lifetime }

    mutating func issue(_ nonce: String, at now: Duration) {
        nonces = nonces.filter { $0.value.expiry + lifetime > now }
        nonces[nonce] = Nonce(expiry: now + lifetime)
    }

    /// Handles a request with right credentials.
    /// - Parameter count: the nonce count; nil for a request in the form of RFC 2069, which has none.
    mutating func use(_ nonce: String, count: UInt32?, at now: Duration) -> Outcome {
        guard let known = nonces[nonce] else { return .unknown }
        guard !known.isStale, known.expiry > now else { return .stale }
        guard let count else { return .accepted }
        return nonces[nonce]?.counts.insert(count).inserted == true ? .accepted : .repeated
    }

    /// Makes all nonces stale.
    mutating func expireAll() {
        for nonce in nonces.keys { nonces[nonce]?.isStale = true }
    }
}
