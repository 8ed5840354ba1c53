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

/// A credential in use by calls, with its times. A class, so that a call copies one reference.
// Unchecked because it restates the superclass's conformance: both stored properties are immutable and `Sendable`.
final class CredentialLease<Scope: Hashable & Sendable, Credential: Sendable>: AnyCredentialLease, @unchecked Sendable {
    let scope: Scope
    let credential: Credential

    init(
        _ credential: Credential, for scope: Scope, generation: UInt64, signOut: Int, refreshTime: Duration?,
        expiry: Duration?
    ) {
        self.scope = scope
        self.credential = credential
        super.init(generation: generation, signOut: signOut, refreshTime: refreshTime, expiry: expiry)
    }
}

/// The usable credentials of a ``CredentialTable`` by the hash of their scope.
///
/// All that most calls look at: one lock, and no generic dictionary, whose code is not specialized for the types of
/// other modules. Of scopes with equal hashes it has one; calls for the other ask the table.
final class UsableCredentials: Sendable {
    private let leases = Mutex<[Int: AnyCredentialLease]>([:])

    func lease(hash: Int) -> AnyCredentialLease? { leases.withLock { $0[hash] } }

    func set(_ lease: AnyCredentialLease?, hash: Int) { leases.withLock { $0[hash] = lease } }

    func removeAll() { leases.withLock { $0 = [:] } }
}
