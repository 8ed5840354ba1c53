public import Transport

/// A transfer observer that calls a closure with the progress.
public struct ProgressObserver: TransferObserver {
    private let delivery: Delivery
    private let handler: @Sendable (TransferProgress) -> Void

    /// Creates an observer.
    ///
    /// `handler` is called in order. On a serial queue that also delivers the call's completion, it is called before
    /// that.
    public init(delivery: Delivery, _ handler: @escaping @Sendable (TransferProgress) -> Void) {
        self.delivery = delivery
        self.handler = handler
    }

    /// Delivers the progress of an event.
    public func transfer(didEmit event: TransferEvent) {
        guard let progress = TransferProgress(event) else { return }
        delivery.deliver { [handler] in handler(progress) }
    }
}
