import Synchronization

/// A credential in use by calls, with its times. A class, so that a call copies one reference.
// Unchecked because it restates the superclass's conformance: all stored properties are immutable and `Sendable`.
final class CredentialLease<Scope: Hashable & Sendable, Credential: Sendable>: AnyCredentialLease, @unchecked Sendable {
    let scope: Scope
    let credential: Credential
    /// The user that the authorizer named when it issued the credential; nil without one.
    let cacheUser: String?

    init(
        _ credential: Credential, of cacheUser: String? = nil, for scope: Scope, generation: UInt64, signOut: Int,
        refreshTime: Duration?, expiry: Duration?
    ) {
        self.scope = scope
        self.credential = credential
        self.cacheUser = cacheUser
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
