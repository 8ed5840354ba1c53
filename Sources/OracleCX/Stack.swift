import Coordination
import Queueing
import Transport

/// The manager's layers: retries around the queue around compression around redirects.
///
/// A request has its place in the queue before anything suspends its task, an attempt includes all its redirects, and a
/// request in backoff holds no queue slot and is no running attempt. Below the queue, requests leave the manager's
/// thread: an observer that blocks there would stop all other requests.
typealias ORAStack<Base: Transport> = Retrying<Queued<Attempting<Executing<Compressing<Redirecting<Base>>>>>, ORARetry>

extension Transport {
    /// Adds the manager's layers.
    /// - Parameters:
    ///   - background: is told of each attempt.
    ///   - executor: compresses bodies, and sends.
    func oracleLayers(
        queue: RequestQueue, background: BackgroundController, retry: ORARetry, clock: some Clock<Duration>,
        executor: any TaskExecutor = WorkerThreads.calls
    ) -> ORAStack<Self> {
        Attempting(base: redirecting(clock: clock).compressing().executing(on: executor), background: background)
            .queued(in: queue).retrying(retry, clock: clock)
    }

    private func compressing() -> Compressing<Self> { Compressing(base: self) }
    private func executing(on executor: any TaskExecutor) -> Executing<Self> {
        Executing(base: self, executor: executor)
    }
}
