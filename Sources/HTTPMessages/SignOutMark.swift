import Synchronization

/// The sign-outs that a call knows of from its start: it must not become a call of the next user.
///
/// All sign-outs of the process are numbered in their order (a logical clock). A layer that adds credentials refuses a
/// call from before the last sign-out of its users: their credential would be that of another one. All marks are equal:
/// a request is the same for each user.
package struct SignOutMark: Hashable, Sendable {
    private static let last = Atomic(0)

    /// The number of the last sign-out of the process when the call began; nil before a stack has sent it.
    package private(set) var number: Int?
    /// The number of the last sign-out among the users of its stacks, by which requests in flight are told apart.
    package private(set) var users = 0

    package init() {}

    /// Marks the start of a call, unless it has begun already.
    /// - Parameter users: the number of the last sign-out of the users whose credentials it may get.
    package mutating func begin(users: Int = 0) {
        number = number ?? Self.last.load(ordering: .acquiring)
        self.users = max(users, self.users)
    }

    /// The number of a new sign-out: 1 for the first one.
    package static func nextNumber() -> Int { last.add(1, ordering: .acquiringAndReleasing).newValue }

    package static func == (_: SignOutMark, _: SignOutMark) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}
