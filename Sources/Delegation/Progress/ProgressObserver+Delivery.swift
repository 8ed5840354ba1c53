public import Transport

extension ProgressObserver {
    /// Creates an observer whose handler is called in order, where `delivery` says.
    ///
    /// On a serial queue that also delivers the call's completion, it is called before that.
    public init(delivery: Delivery, _ handler: @escaping @Sendable (TransferProgress) -> Void) {
        self.init { progress in delivery.deliver { handler(progress) } }
    }
}
