import Synchronization

/// Numbers all sign-outs of the process in their order (a logical clock).
///
/// A call has the number of the last sign-out at its start (``RequestOptions/lastSignOut``). A layer that adds
/// credentials refuses it after a later one: the credential would be that of another user.
package enum SignOuts {
    private static let last = Atomic(0)

    /// The number of a new sign-out: 1 for the first one.
    package static func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
