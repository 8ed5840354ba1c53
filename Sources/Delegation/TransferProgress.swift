public import Transport

/// How far a transfer is, for a progress bar.
public struct TransferProgress: Hashable, Sendable {
    /// Which way the bytes go.
    public enum Direction: Hashable, Sendable {
        /// The request's body.
        case upload
        /// The response's body.
        case download
    }

    /// Which way the bytes go.
    public let direction: Direction
    /// How many bytes have gone.
    public let completed: Int64
    /// How many there are in all, or nil when that is not known.
    public let total: Int64?

    /// The progress that an event tells of, or nil when it tells of none.
    public init?(_ event: TransferEvent) {
        switch event {
        case .sent(let completed, let total): self.init(.upload, completed, of: total)
        case .received(let completed, let total): self.init(.download, completed, of: total)
        case .head, .retry: return nil
        }
    }

    private init(_ direction: Direction, _ completed: Int64, of total: Int64?) {
        self.direction = direction
        self.completed = completed
        self.total = total
    }

    /// The part that is done, 0 to 1, or nil when the total is not known.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, Double(completed) / Double($0)) : 1 }
    }
}

/// An observer that hands progress to a closure where callbacks are delivered.
public struct ProgressObserver: TransferObserver {
    private let delivery: Delivery
    private let handler: @Sendable (TransferProgress) -> Void

    /// An observer; `handler` is called in order, and not after the call's completion when both are delivered on one
    /// serial queue.
    public init(delivery: Delivery, _ handler: @escaping @Sendable (TransferProgress) -> Void) {
        self.delivery = delivery
        self.handler = handler
    }

    /// Hands progress on.
    public func transfer(didReach event: TransferEvent) {
        guard let progress = TransferProgress(event) else { return }
        delivery.deliver { [handler] in handler(progress) }
    }
}
