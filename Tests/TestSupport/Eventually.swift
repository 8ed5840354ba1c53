public import Testing

/// Returns as soon as a condition holds, for what has no event to wait for.
///
/// The limit is a number of looks and not a time, so a busy machine takes longer and fails nothing.
/// - Parameter looks: the number of looks, about a millisecond apart; by default five minutes of them.
/// - Throws: ``ConditionNeverHeld``, what `condition` throws, and `CancellationError` when the task is cancelled.
public func eventually(
    looks: Int = 300_000, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) async throws {
    for _ in 0..<looks {
        if try condition() { return }
        try await Task.sleep(for: .milliseconds(1))
    }
    throw ConditionNeverHeld(sourceLocation: sourceLocation, looks: looks)
}

/// The condition of an ``eventually(looks:sourceLocation:_:)`` that never held.
public struct ConditionNeverHeld: Error, CustomStringConvertible {
    /// Where the test waits.
    public let sourceLocation: SourceLocation
    /// The number of times the condition was evaluated.
    public let looks: Int

    /// The place and the number.
    public var description: String {
        "The condition at \(sourceLocation.fileName):\(sourceLocation.line) was false \(looks) times."
    }
}
