import Coordination
import Delegation
import Foundation
import HTTPMessages
import Synchronization
import Transport

extension SDMHttpRequest {
    /// Starts the request in the session's shared queue, which runs up to five at a time.
    ///
    /// Without effect if it was started before, and after its end with a warning.
    public func startAsynchronous() { session.sharedQueue.addOperation(self) }

    /// Blocks the calling thread until the request is complete.
    ///
    /// Delegates are called, but not asked for credentials. On the queue of the session's delivery, by default the main
    /// queue, they are called before this returns, else later on that queue. A delegate that decides about a redirect,
    /// receives a body of more than 4 MiB, or a part of one that a cached response replaces, needs that queue. So code
    /// on it must not wait for a call of this on another thread, nor for a request that was started asynchronously.
    /// Called on that queue, the delegate decides before its method returns, or on another queue.
    @available(*, noasync, message: "startSynchronous blocks its thread; await response() instead.")
    public func startSynchronous() {
        warnIfEnded()
        noteStart()
        let blocksDelivery = session.configuration.delivery.isCurrent
        // It throws only when its task is cancelled.
        try? Blocking.run { [self] in
            if begin() {
                _ = await run(.synchronous(blocksDelivery: blocksDelivery))
            } else {
                _ = try? await completion.cancellableValue()
            }
        }
    }

    /// Cancels the request, which then fails with `requestCancelled`; also before its start. No effect after its end.
    public func cancel() {
        let isWaiting = state.withLock { $0.cancel() }
        cancellation.fulfill(true)
        if isWaiting, begin() { end(failure(CancellationError()), Callbacks(session.configuration.delivery)) }
    }

    /// Cancels the request at the end of its caller's total timeout, with that error.
    ///
    /// With a response that has arrived, its delegate is waited for no longer.
    func expire(_ error: TransportError) {
        state.withLock { $0.expiry = error }
        cancel()
        if state.withLock({ $0.phase == .finished }) { endDelivery.fulfill(()) }
    }

    /// The error of a request that has failed, or was cancelled.
    func failure(_ error: any Error) -> SDMError {
        let error = SDMError(error)
        guard error.isCancellation, let expiry = state.withLock(\.expiry) else { return error }
        return SDMError(expiry)
    }

    /// Cancels the request and calls no delegate any more, neither its own nor for its progress.
    public func clearDelegatesAndCancel() {
        state.withLock { $0.delivery.isSilenced = true }
        cancel()
    }

    /// Warns of a start after the end.
    func warnIfEnded() {
        guard state.withLock({ $0.phase == .finished }) else { return }
        warn("\(description) has ended, and a request starts once; create another one, or start a `copy()`.")
    }

    /// The head of the last response; nil before it.
    var responseHead: HTTPResponseHead? { state.withLock(\.results.head) }

    /// Takes a snapshot of the session when the app starts the request, which may have to wait for a slot.
    ///
    /// Later calls have no effect.
    func noteStart() {
        let snapshot = session.sap.snapshot
        state.withLock { $0.sessionAtStart = $0.sessionAtStart ?? snapshot }
    }

    /// Marks the request as running.
    /// - Returns: false if it was started or cancelled before.
    func begin() -> Bool {
        noteStart()
        return state.withLock { $0.begin() }
    }

    /// The session when the app started the request; before the start, as it is now.
    var sessionAtStart: SessionSnapshot { state.withLock(\.sessionAtStart) ?? session.sap.snapshot }

    /// False if the session was cleared since the start: the request may keep and use nothing in it then.
    ///
    /// Check it after reading from the session, which may have data of another user after a `clear()`.
    var belongsToSession: Bool {
        state.withLock(\.sessionAtStart).map(session.sap.isCurrent) ?? true
    }

    /// Runs the request to its end; call it after ``begin()``.
    /// - Returns: the credentials that servers and proxies have rejected.
    func run(_ mode: CallRunner.Mode) async -> Set<SpaceCredential> {
        beginBackgroundTask()
        // The runner throws nothing.
        return (try? await cancellation.runCancellable { await CallRunner(self, mode).run() }) ?? []
    }

    /// Completes the request, once.
    func end(_ error: SDMError?, _ callbacks: Callbacks) {
        guard let membership = state.withLock({ $0.end(error) }) else { return }
        let owner = membership.owner
        let task = state.withLock { $0.backgroundTask.take() }
        owner?.willDeliverEnd()
        callbacks.post { [self] in
            deliverProgress()
            let wasCalled =
                if error == nil {
                    callDelegate(\.didFinishSelector, default: "requestFinished:") { $0.requestFinished(self) }
                } else {
                    callDelegate(\.didFailSelector, default: "requestFailed:") { $0.requestFailed(self) }
                }
            if !wasCalled { warnIfDelegateIsSilent() }
            if !isSilenced { membership.queue?.deliverEnd(of: self, error) }
            task?.end()
            endDelivery.fulfill(())
            owner?.didDeliverEnd()
        }
        progressFeed.finish()
        state.withLock { $0.hasPostedEnd = true }
        // First, so that the queue does not count the request any more for those that wait for it.
        owner?.requestEnded(self, error)
        for dependent in membership.dependencies.dependents { dependent.proceed(without: self) }
        completion.fulfill(error)
    }
}
