public import HTTPMessages

/// A progress event of a transfer.
///
/// Counts never decrease within one attempt, and the last event of a direction has the exact count. A redirect or a
/// retry starts counting from zero.
public enum TransferEvent: Hashable, Sendable {
    /// Bytes of the request body sent so far, and the total if known.
    case sentBytes(Int64, total: Int64?)
    /// The response head has arrived.
    case head(HTTPResponseHead)
    /// Decoded bytes of the response body received so far, and the total if known.
    case receivedBytes(Int64, total: Int64?)
    /// An attempt failed; the next one starts after its backoff. One observer receives the events of all attempts.
    case retry(after: TransportError.AttemptRecord)
}

/// Receives the progress events of a transfer.
public protocol TransferObserver: Sendable {
    /// Handles one event; events arrive one at a time and in order.
    ///
    /// Called on one of four observer threads, or in the caller's task, and never after `send` has returned. Pending
    /// events of one kind are coalesced into the latest.
    ///
    /// An observer that blocks delays its own request, until that is cancelled or times out, and the events of other
    /// requests. If it blocks all four threads, a finished request waits ten seconds for a free one, then drops its
    /// remaining events and returns.
    func transfer(didEmit event: TransferEvent)
}

extension TransferEvent {
    /// True when the later of the two events makes the earlier one obsolete.
    package func isSameKind(as other: TransferEvent) -> Bool {
        switch (self, other) {
        case (.sentBytes, .sentBytes), (.head, .head), (.receivedBytes, .receivedBytes): true
        default: false
        }
    }
}

extension [TransferEvent] {
    /// Appends an event and removes the earlier one of the same kind.
    package mutating func supersede(with event: TransferEvent) {
        if let index = firstIndex(where: { $0.isSameKind(as: event) }) { remove(at: index) }
        append(event)
    }
}
