/// Checks that each of many calls completes exactly once.
///
/// ```swift
/// let ledger = CompletionLedger<HTTPResponse>()
/// for number in 0..<1000 {
///     let call = ledger.call("call \(number)")
///     client.fetch(onSuccess: call.succeed, onFailure: call.fail)
/// }
/// try await ledger.waitForAll()
/// client.shutDown()  // a second completion would have happened by now
/// try ledger.check()
/// ```
public final class CompletionLedger<Value: Sendable>: Sendable {
    private let calls = Watched<[ExactlyOnce<Value>]>([])

    /// Creates an empty ledger.
    public init() {}

    /// Adds a call.
    /// - Parameter name: names the call in errors.
    public func call(_ name: String) -> ExactlyOnce<Value> {
        let call = ExactlyOnce<Value>(name)
        calls.update { $0.append(call) }
        return call
    }

    /// Suspends until every call added so far has completed, and returns their first completions.
    /// - Parameters:
    ///   - limit: how long to wait; default a minute.
    ///   - clock: measures the limit; default the system's.
    /// - Throws: ``CompletionError`` that names the calls that have not completed within the limit; `CancellationError`
    ///   when the task is cancelled first.
    @discardableResult
    public func waitForAll(
        within limit: Duration = .seconds(60), clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> [ExactlyOnce<Value>.Outcome] {
        let calls = calls.value
        return try await withThrowingTaskGroup(of: [ExactlyOnce<Value>.Outcome]?.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                var outcomes: [ExactlyOnce<Value>.Outcome] = []
                for call in calls { outcomes.append(try await call.outcome) }
                return outcomes
            }
            group.addTask {
                try await clock.sleep(for: limit)
                return nil
            }
            if let outcomes = try await group.next() ?? nil { return outcomes }
            try Self.check(calls)
            return calls.compactMap(\.outcomes.first)
        }
    }

    /// Checks that every call has completed exactly once.
    /// - Throws: ``CompletionError`` with all violations.
    public func check() throws(CompletionError) { try Self.check(calls.value) }

    private static func check(_ calls: [ExactlyOnce<Value>]) throws(CompletionError) {
        var violations: [String] = []
        for call in calls {
            do { try call.check() } catch { violations += error.violations }
        }
        if !violations.isEmpty { throw CompletionError(violations: violations) }
    }
}
