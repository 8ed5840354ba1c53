public import PatchbayTestKit

extension CompletionLedger {
    /// Suspends until every call added so far has completed, however long that takes on a busy machine: the slot of a
    /// test ends one that hangs.
    ///
    /// The compiler prefers it to ``waitForAll(within:clock:)`` with its defaults.
    @discardableResult
    public func waitForAll() async throws -> [ExactlyOnce<Value>.Outcome] {
        try await waitForAll(within: .seconds(60), clock: ManualClock())
    }
}
