public import HTTPMessages

/// A progress event of a transfer.
///
/// Counts never decrease within one attempt, and the last event of a direction has the exact count. A redirect or a
/// retry starts counting from zero, and so does a body that the engine sends again on another connection.
@nonexhaustive public enum TransferEvent: Sendable {
    /// Bytes of the request body sent so far, and the total if known.
    case sentBytes(Int64, total: Int64?)
    /// The response head has arrived.
    case head(HTTPResponseHead)
    /// Decoded bytes of the response body received so far, and the total if known.
    case receivedBytes(Int64, total: Int64?)
    /// An event that a layer defines, such as a retry.
    case layer(any LayerEvent)
}

/// A progress event that a layer defines, as a value of its own type.
///
/// Observers receive it as ``TransferEvent/layer(_:)`` and cast it to the types that they know:
///
/// ```swift
/// if case .layer(let event as RetryEvent) = event { print(event.attempt) }
/// ```
///
/// `description` must not contain secrets.
public protocol LayerEvent: Hashable, Sendable, CustomStringConvertible {}

/// A layer's event for observers that ask for it (``TransferObserver/isImmediate``), such as monitors.
public protocol DetailEvent: LayerEvent {}

/// Receives the progress events of a transfer.
public protocol TransferObserver: Sendable {
    /// Handles one event; events arrive one at a time and in order.
    ///
    /// Called on one of four observer threads, or in the caller's task, and never after `send` has returned. Pending
    /// events of one kind are coalesced into the latest, except those of layers.
    ///
    /// An observer that blocks delays its own request, until that is cancelled or times out, and the events of other
    /// requests. If it blocks all four threads, a finished request waits ten seconds for a free one, then drops its
    /// remaining events and returns.
    func transfer(didEmit event: TransferEvent)

    /// True for an observer that only stores events, such as a monitor; default false.
    ///
    /// Such an observer gets each event in place, in order, also with a lock of the transport held, and none is
    /// coalesced. It must neither block nor call other code. It gets each ``DetailEvent``, too. An observer that passes
    /// events on to another one returns its value.
    var isImmediate: Bool { get }
}

extension TransferObserver {
    /// Default: false.
    public var isImmediate: Bool { false }

    /// Reports an event of a layer, and makes it only for an observer that asks for it.
    public func report(_ event: @autoclosure () -> some DetailEvent) {
        if isImmediate { transfer(didEmit: .layer(event())) }
    }
}

extension TransferEvent: Hashable {
    /// Compares kind and values.
    public static func == (left: TransferEvent, right: TransferEvent) -> Bool {
        switch (left, right) {
        case (.sentBytes(let left, let leftTotal), .sentBytes(let right, let rightTotal)),
            (.receivedBytes(let left, let leftTotal), .receivedBytes(let right, let rightTotal)):
            left == right && leftTotal == rightTotal
        case (.head(let left), .head(let right)): left == right
        case (.layer(let left), .layer(let right)): AnyHashable(left) == AnyHashable(right)
        default: false
        }
    }

    /// Hashes kind and values.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .sentBytes(let count, let total): hasher.combine([0, count, total])
        case .head(let head): hasher.combine(head)
        case .receivedBytes(let count, let total): hasher.combine([1, count, total])
        case .layer(let event): hasher.combine(AnyHashable(event))
        }
    }
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
