public import Testing

/// Polls until a condition holds, for state that announces no change, such as the threads of the process.
///
/// Every other test awaits an event: a `Gate`, a `Watched`, an `EventRecorder`, `ManualClock.wait(until:)`.
///
/// It gives up only after a time and a number of evaluations, so neither a busy machine nor a process that did not run
/// for a while fails a test.
/// - Parameters:
///   - name: the condition in words, for the error: "the queue is empty".
///   - duration: the minimum time before it gives up; default one minute.
///   - evaluations: the minimum number of evaluations before it gives up, about 1 ms apart.
/// - Throws: ``ConditionNeverHeld``, what `condition` throws, and `CancellationError` when the task is cancelled.
public func eventually(
    _ name: String, for duration: Duration = .seconds(60), evaluations: Int = 20_000,
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) async throws {
    let start = ContinuousClock.now
    var count = 0
    while try !condition() {
        count += 1
        let waited = ContinuousClock.now - start
        guard count < evaluations || waited < duration else {
            throw ConditionNeverHeld(name: name, sourceLocation: sourceLocation, evaluations: count, duration: waited)
        }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// The error of ``eventually(_:for:evaluations:sourceLocation:_:)`` for a condition that never held.
public struct ConditionNeverHeld: Error, CustomStringConvertible {
    /// The condition in words.
    public let name: String
    /// The location of the `eventually` call.
    public let sourceLocation: SourceLocation
    /// The number of evaluations.
    public let evaluations: Int
    /// The time between the first and the last evaluation.
    public let duration: Duration

    /// The condition, the location, the number of evaluations and the time.
    public var description: String {
        "Condition never held: \(name) (\(sourceLocation.fileName):\(sourceLocation.line), false \(evaluations) times "
            + "in \(duration))."
    }
}
