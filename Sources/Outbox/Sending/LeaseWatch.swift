/// A sender's view of the lease: a state machine without I/O.
///
/// A lease expires by either of two clocks. The wall clock tells at once that an owner ended long ago, as after a
/// relaunch. When it was set back it tells nothing; then the sender watches: a lease without a new sign of life for its
/// duration, by the sender's own monotonic clock, has no owner any more.
///
/// A wall clock that is set forward takes the lease from a living owner, as suspending its process does. Both may then
/// send an entry, under one Idempotency-Key. The former owner finds that out with its next transaction.
///
/// ```
/// free                 -try->                      mine
/// of another sender    -try, expired->             mine, and the entries that it was sending are released
/// of another sender    -try->                      as it is; try again at a later time
/// mine                 -try->                      mine, renewed
/// an earlier own one   -try->                      mine, and the entries that are not in flight are released
/// ```
///
/// A lease of its own with another time than that of the last one, or with a smaller beat, came with an older copy of
/// the store, such as a restored backup. Another sender that notes a response raises the beat, and leaves the time.
struct LeaseWatch: Hashable, Sendable {
    /// What a sender may do.
    enum Decision: Hashable, Sendable {
        /// Send: store this lease.
        /// - `isTaken`: true if the last owner has ended without releasing it, or if the store is an older copy now.
        case send(SendLease, isTaken: Bool)
        /// Try again at this time of the monotonic clock.
        case wait(until: Duration)
    }

    let owner: String
    let duration: Duration
    /// A lease of another sender, and the time since when it has had no sign of life.
    private var seen: SendLease?
    private var seenAt = Duration.zero
    /// The last lease of its own.
    private var own: SendLease?

    init(owner: String, duration: Duration) {
        self.owner = owner
        self.duration = duration
    }

    /// Tries to get or to renew the lease.
    /// - Parameters:
    ///   - wallTime: milliseconds since 1970.
    ///   - now: the time of the monotonic clock.
    mutating func decide(_ stored: SendLease, wallTime: Int64, now: Duration) -> Decision {
        let renewed = SendLease(owner: owner, beat: stored.beat &+ 1, renewed: wallTime)
        guard let other = stored.owner, other != owner else {
            let isLast = own.map { $0.renewed == stored.renewed && $0.beat <= stored.beat } ?? false
            let isCopy = stored.owner != nil && !isLast
            (seen, own) = (nil, renewed)
            return .send(renewed, isTaken: isCopy)
        }
        if seen != stored { (seen, seenAt) = (stored, now) }
        let isOld = wallTime >= stored.renewed && wallTime &- stored.renewed >= duration.milliseconds
        guard isOld || now - seenAt >= duration else {
            // The owner may release it before.
            return .wait(until: min(seenAt + duration, now + duration / 10))
        }
        (seen, own) = (nil, renewed)
        return .send(renewed, isTaken: true)
    }
}
