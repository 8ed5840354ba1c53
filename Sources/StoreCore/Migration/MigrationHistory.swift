/// Comparison of a migrator's steps with those that a store has applied. A pure value.
///
/// The applied steps must be a prefix of the migrator's: anything else is a store of another app version, or an app
/// whose released steps were changed.
struct MigrationHistory {
    private let steps: [String]

    /// - Throws: `StoreError` (`invalidArgument`) when two names are equal.
    init(steps: [String]) throws(StoreError) {
        var seen: Set<String> = []
        for step in steps where !seen.insert(step).inserted {
            throw StoreError(.invalidArgument, "Duplicate migration step \"\(step)\"; give each step its own name.")
        }
        self.steps = steps
    }

    /// The number of steps to apply up to a step, included.
    /// - Parameter last: a step's name; nil for all.
    /// - Throws: `StoreError` (`invalidArgument`) when no step has that name.
    func goal(upTo last: String?) throws(StoreError) -> Int {
        guard let last else { return steps.count }
        guard let index = steps.firstIndex(of: last) else {
            throw StoreError(.invalidArgument, "No such migration step: \"\(last)\"; add it, or correct `upTo`.")
        }
        return index + 1
    }

    /// The number of applied steps.
    /// - Parameter applied: the names that the store has recorded, in order.
    /// - Throws: `StoreError` (`migration`) when they are not a prefix of the steps.
    func appliedCount(of applied: [String]) throws(StoreError) -> Int {
        for (index, name) in applied.enumerated() where index >= steps.count || steps[index] != name {
            throw StoreError(.migration, mismatch(at: index, of: name, applied))
        }
        return applied.count
    }

    /// - Parameter index: the first place where the applied steps differ.
    private func mismatch(at index: Int, of name: String, _ applied: [String]) -> String {
        guard index < steps.count else {
            return """
                Store is newer than the app: it applied the migration step "\(name)", which this app does not have; \
                update the app.
                """
        }
        let found = "migration step \(index + 1) of the store is \"\(name)\", and \"\(steps[index])\" in this app"
        let isKnown = steps.contains(name)
        return """
            \(isKnown ? "Order of steps changed" : "Step renamed or removed"): \(found); restore the names and the \
            order of released steps, and add new ones at the end.
            """
    }
}
