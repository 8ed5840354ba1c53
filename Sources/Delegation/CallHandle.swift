import Coordination

/// A handle to cancel or await a running call.
public struct CallHandle: Sendable {
    private let task: Task<Void, Never>

    /// Starts a call with exactly one completion: success, failure or cancellation.
    /// - Parameters:
    ///   - delivery: where `completion` is called.
    ///   - executor: runs `work`; nil means threads of the package, so that a call ends even while the app blocks all
    ///     threads of the cooperative pool. On a serial executor, calls begin in the order in which they are started.
    ///   - work: the asynchronous work of the call.
    ///   - completion: called once, after `work` has finished, then released, both where `delivery` calls back. It need
    ///     not be `Sendable`, since it is used only there.
    public static func start<Value: Sendable>(
        delivery: Delivery, executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async throws -> Value,
        completion: @escaping (Result<Value, any Error>) -> Void
    ) -> CallHandle {
        let completion = PendingCallback(completion)
        return CallHandle(
            task: Task(executorPreference: executor ?? WorkerThreads.calls) {
                let result: Result<Value, any Error>
                do {
                    result = .success(try await work())
                } catch {
                    result = .failure(error)
                }
                delivery.deliver { completion.take()?(result) }
            })
    }

    /// Cancels the call, which then completes with the transport's `cancelled`; no effect after it has finished.
    public func cancel() { task.cancel() }

    /// Waits until the call has finished.
    ///
    /// With `Delivery.inline` the completion has been called by then; otherwise it is enqueued.
    public func wait() async { await task.value }
}
