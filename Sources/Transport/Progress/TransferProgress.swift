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
        case .sentBytes(let completed, let total): self.init(.upload, completed: completed, total: total)
        case .receivedBytes(let completed, let total): self.init(.download, completed: completed, total: total)
        case .head, .layer: return nil
        }
    }

    /// Creates the progress of one direction, in bytes; the total is nil if unknown.
    public init(_ direction: Direction, completed: Int64, total: Int64?) {
        self.direction = direction
        self.completed = completed
        self.total = total
    }

    /// The completed fraction, 0 to 1, or nil when the total is unknown.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, Double(completed) / Double($0)) : 1 }
    }
}
