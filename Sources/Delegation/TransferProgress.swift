public import Transport

/// The progress of an upload or a download.
public struct TransferProgress: Hashable, Sendable {
    /// The direction of a transfer.
    public enum Direction: Hashable, Sendable {
        /// The request body.
        case upload
        /// The response body.
        case download
    }

    /// The direction of the transfer.
    public let direction: Direction
    /// Bytes transferred so far.
    public let completed: Int64
    /// Total number of bytes, or nil if unknown.
    public let total: Int64?

    /// Converts an event; nil for events without byte counts.
    public init?(_ event: TransferEvent) {
        switch event {
        case .sentBytes(let completed, let total): self.init(.upload, completed, of: total)
        case .receivedBytes(let completed, let total): self.init(.download, completed, of: total)
        case .head, .layer: return nil
        }
    }

    private init(_ direction: Direction, _ completed: Int64, of total: Int64?) {
        self.direction = direction
        self.completed = completed
        self.total = total
    }

    /// The completed fraction, 0 to 1, or nil when the total is unknown.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, Double(completed) / Double($0)) : 1 }
    }
}

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
