import Synchronization

/// The part of a ``CredentialLease`` that is the same for all authorizers.
// Unchecked only because the class has a subclass: all stored properties are immutable and `Sendable`, or atomic.
class AnyCredentialLease: @unchecked Sendable {
    /// Identifies the credential in its table.
    final let generation: UInt64
    /// The number of the last sign-out before the credential was obtained.
    final let signOut: Int
    /// The time from which a refresh is due; nil without an expiry.
    final let refreshTime: Duration?
    final let expiry: Duration?
    private final let accepted = Atomic(false)
    private final let used = Atomic(false)

    init(generation: UInt64, signOut: Int, refreshTime: Duration?, expiry: Duration?) {
        self.generation = generation
        self.signOut = signOut
        self.refreshTime = refreshTime
        self.expiry = expiry
    }

    /// True if a server has accepted the credential; then no call needs to report that again.
    final var isAccepted: Bool { accepted.load(ordering: .relaxed) }

    final func accept() { accepted.store(true, ordering: .relaxed) }

    /// Notes that a call uses the credential. Writes once per trim, so that calls do not contend for the cache line.
    final func markUsed() { if !used.load(ordering: .relaxed) { used.store(true, ordering: .relaxed) } }

    /// True if ``markUsed()`` was called since the last call of this.
    final func takeUsed() -> Bool { used.exchange(false, ordering: .relaxed) }

    /// True if the credential needs no refresh yet.
    final func isFresh(now: Duration) -> Bool { refreshTime.map { now < $0 } ?? true }
}
