import HTTPMessages
import Synchronization

/// The number of resends after conflicts that are left for a call.
final class ConflictBudget: Hashable, Sendable {
    private let left: Mutex<Int>

    init(_ count: Int = 7) { left = Mutex(count) }

    /// Takes one resend; false if none is left.
    func take() -> Bool {
        left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }

    static func == (left: ConflictBudget, right: ConflictBudget) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private enum ConflictBudgetKey: RequestOptionKey { static var defaultValue: ConflictBudget? { nil } }

extension RequestOptions {
    /// The resends after conflicts that are left for the call; nil for none.
    var conflictBudget: ConflictBudget? {
        get { self[ConflictBudgetKey.self] }
        set { self[ConflictBudgetKey.self] = newValue }
    }
}
