/// Checks that each of many calls completes exactly once.
///
/// ```swift
/// let ledger = CompletionLedger<HTTPResponse>()
/// for number in 0..<1000 {
///     let call = ledger.call("call \(number)")
///     client.fetch(onSuccess: call.succeed, onFailure: call.fail)
/// }
/// try await ledger.waitForAll()
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
    /// - Throws: `CancellationError` when the task is cancelled first.
    @discardableResult
    public func waitForAll() async throws -> [ExactlyOnce<Value>.Outcome] {
        var outcomes: [ExactlyOnce<Value>.Outcome] = []
        for call in calls.value { outcomes.append(try await call.outcome) }
        return outcomes
    }

    /// Checks that every call has completed exactly once.
    /// - Throws: ``CompletionError`` with all violations.
    public func check() throws(CompletionError) {
        var violations: [String] = []
        for call in calls.value {
            do { try call.check() } catch { violations += error.violations }
        }
        if !violations.isEmpty { throw CompletionError(violations: violations) }
    }
}
