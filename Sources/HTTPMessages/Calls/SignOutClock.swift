import Synchronization

/// The sign-outs of the process in their order: a logical clock.
package enum SignOutClock {
    private static let last = Atomic(0)

    /// The number of the last sign-out; 0 before the first one.
    package static var now: Int { last.load(ordering: .acquiring) }

    /// Notes a sign-out.
    /// - Returns: its number.
    package static func tick() -> Int { last.add(1, ordering: .acquiringAndReleasing).newValue }
}
