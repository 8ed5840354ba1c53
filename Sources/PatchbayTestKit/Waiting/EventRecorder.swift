public import Transport

/// An observer that records a request's transfer events.
///
/// ```swift
/// let recorder = EventRecorder()
/// async let response = transport.send(request, observer: recorder)
/// try await recorder.wait { $0.contains(.receivedBytes(5, total: 10)) }
/// ```
public final class EventRecorder: TransferObserver {
    private let log = Watched<[TransferEvent]>([])

    /// Creates an empty recorder.
    public init() {}

    /// The events so far, in order.
    public var events: [TransferEvent] { log.value }

    /// Records an event.
    public func transfer(didEmit event: TransferEvent) { log.update { $0.append(event) } }

    /// Suspends until the events meet a condition, and returns them.
    /// - Throws: `CancellationError` when the task is cancelled first.
    @discardableResult
    public func wait(until isMet: @escaping @Sendable ([TransferEvent]) -> Bool) async throws -> [TransferEvent] {
        try await log.wait(until: isMet)
    }
}
