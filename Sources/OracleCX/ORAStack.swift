import Coordination
import Queueing
import Transport

/// The manager's layers: retry around the queue around compression around redirects.
///
/// So a request has its place in the queue before compression suspends its task, an attempt includes all its redirects,
/// and a request in backoff holds no queue slot.
typealias ORAStack<Base: Transport> = Retrying<Queued<Compressing<Redirecting<Base>>>, ORARetry>

// Neither the cooperative pool nor Dispatch: callers may block all of their threads until their requests end.
private let compressor = WorkerThreads(count: 4, name: "patchbay.gzip")

extension Transport {
    /// Adds the manager's layers.
    /// - Parameter executor: compresses bodies.
    func oracleLayers(
        queue: RequestQueue, retry: ORARetry, clock: some Clock<Duration>,
        compressingOn executor: any TaskExecutor = compressor
    ) -> ORAStack<Self> {
        Compressing(base: redirecting(clock: clock), executor: executor).queued(in: queue).retrying(retry, clock: clock)
    }
}
