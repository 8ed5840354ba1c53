import Synchronization

/// The wait for the handler that claims a response. The handlers may be asked late: cancelling the task ends it too.
final class GatewayClaim: Sendable {
    typealias Handler = HandlerRegistry.Box<GatewayChallengeHandler>

    private let waiter = Mutex<CheckedContinuation<Handler?, Never>?>(nil)

    func wait(_ ask: @Sendable () -> Void) async -> Handler? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.withLock { $0 = continuation }
                // The cancellation handler has no effect before there is a waiter.
                guard !Task.isCancelled else { return end(nil) }
                ask()
            }
        } onCancel: {
            end(nil)
        }
    }

    /// Ends the wait, unless it has ended.
    func end(_ handler: Handler?) { waiter.withLock { $0.take() }?.resume(returning: handler) }
}
