public import Transport

/// An observer that records the events of a request, for tests that wait for one.
///
/// ```swift
/// let recorder = EventRecorder()
/// async let response = transport.send(request, observer: recorder)
/// try await recorder.wait { $0.contains(.received(5, of: 10)) }
/// ```
public final class EventRecorder: TransferObserver {
    private let log = Watched<[TransferEvent]>([])

    /// An observer that has recorded nothing.
    public init() {}

    /// The events so far, in order.
    public var events: [TransferEvent] { log.value }

    /// Records an event.
    public func transfer(didReach event: TransferEvent) { log.update { $0.append(event) } }

    /// Returns the events as soon as they meet a condition.
    /// - Throws: `CancellationError` when the task is cancelled before that.
    @discardableResult
    public func wait(until isMet: @escaping @Sendable ([TransferEvent]) -> Bool) async throws -> [TransferEvent] {
        try await log.wait(until: isMet)
    }
}
