public import Testing

/// Polls until a condition holds, for state without an event to wait for.
///
/// The limit is a number of evaluations and not a time, so a busy machine fails no test.
/// - Parameter attempts: the maximum number of evaluations, about 1 ms apart; default five minutes' worth.
/// - Throws: ``ConditionNeverHeld``, what `condition` throws, and `CancellationError` when the task is cancelled.
public func eventually(
    attempts: Int = 300_000, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) async throws {
    for _ in 0..<attempts {
        if try condition() { return }
        try await Task.sleep(for: .milliseconds(1))
    }
    throw ConditionNeverHeld(sourceLocation: sourceLocation, attempts: attempts)
}

/// The error of ``eventually(attempts:sourceLocation:_:)`` for a condition that never held.
public struct ConditionNeverHeld: Error, CustomStringConvertible {
    /// The location of the `eventually` call.
    public let sourceLocation: SourceLocation
    /// The number of evaluations.
    public let attempts: Int

    /// The location and the number of evaluations.
    public var description: String {
        "The condition at \(sourceLocation.fileName):\(sourceLocation.line) was false \(attempts) times."
    }
}
