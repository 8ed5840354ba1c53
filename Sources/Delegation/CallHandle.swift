/// A call under way, for code that does not await it.
public struct CallHandle: Sendable {
    private let task: Task<Void, Never>

    /// Starts a call that ends in exactly one completion: success, failure or cancellation.
    /// - Parameters:
    ///   - delivery: where `completion` is called.
    ///   - executor: where `work` runs; nil means the pool that all tasks share. Calls started one after the other on a
    ///     serial one begin in that order.
    ///   - work: the call itself.
    ///   - completion: called once, after `work` has ended.
    public static func start<Value: Sendable>(
        delivery: Delivery, executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> CallHandle {
        CallHandle(
            task: Task(executorPreference: executor) {
                let result: Result<Value, any Error>
                do {
                    result = .success(try await work())
                } catch {
                    result = .failure(error)
                }
                delivery.deliver { completion(result) }
            })
    }

    /// Cancels the call; it then completes with the transport's `cancelled`. No effect when it is over.
    public func cancel() { task.cancel() }

    /// Returns when the call is over. Its completion has been called by then where it is delivered inline, and is on
    /// its way otherwise.
    public func wait() async { await task.value }
}
