/// Returns as soon as a condition holds, for what has no event to wait for. There is no limit: a test that waits has the
/// trait ``Testing/Trait/needsSlot``, which ends a test that hangs.
/// - Throws: what `condition` throws, and `CancellationError` when the task is cancelled.
public func eventually(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(1)) }
}
