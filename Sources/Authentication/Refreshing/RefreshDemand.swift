import Coordination

/// The need of calls for the refresh of the current task, as its authorizer sees it.
package struct RefreshDemand: Sendable {
    private let setInterruptible: @Sendable (Bool) -> Bool

    /// - Parameter setInterruptible: lets the refresh end with the last call that waits, or go on without; returns
    ///   false if it was abandoned.
    init(setInterruptible: @escaping @Sendable (Bool) -> Bool) { self.setInterruptible = setInterruptible }

    /// Runs a part of a refresh that is only for the calls that wait.
    ///
    /// Such as a question to the app's user. If none waits, or when the last one is cancelled, the refresh is
    /// abandoned: its task is cancelled, and a later call begins another one. Outside of such parts a refresh goes on
    /// without calls. Parts are not nested. In a task without a refresh, the part is all that runs.
    /// - Throws: `CancellationError` if the refresh is abandoned; the errors of the part.
    package static func whileAwaited<Value>(_ part: () async throws -> Value) async throws -> Value {
        guard let demand = RunningWork.context(RefreshDemand.self) else { return try await part() }
        guard demand.setInterruptible(true) else { throw CancellationError() }
        let result: Result<Value, any Error>
        do { result = .success(try await part()) } catch { result = .failure(error) }
        guard demand.setInterruptible(false) else { throw CancellationError() }
        return try result.get()
    }
}
