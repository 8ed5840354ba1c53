/// Receives the events of a monitor, such as to write them to a log.
///
/// Called on the monitor's thread, one event at a time. It may block: other sinks of the monitor are late then, and
/// events beyond its buffers are dropped.
public protocol EventReceiver: Sendable {
    /// Handles one event. Of each call all events arrive in order.
    func receive(_ event: CallEvent)

    /// Called after the events that came together, such as to write them; default nothing.
    func flush()

    /// The most bytes of the response body that ``ObservedEnd/body`` has for this receiver; default 0.
    var bodyLimit: Int { get }
}

extension EventReceiver {
    /// Default: none.
    public var bodyLimit: Int { 0 }
    /// Default: nothing.
    public func flush() {}
}

/// A receiver of events, with a short name for each kind: `.log(.basic)`, `.metrics(recorder)`.
///
/// A sink of your own is a static member beside them:
///
/// ```swift
/// extension EventSink { static var counter: EventSink { EventSink(Counter()) } }
/// ```
public struct EventSink: Sendable {
    let receiver: any EventReceiver

    /// Wraps a receiver.
    public init(_ receiver: some EventReceiver) { self.receiver = receiver }

    /// A closure that gets each event.
    public static func handler(_ handle: @escaping @Sendable (CallEvent) -> Void) -> EventSink {
        EventSink(EventHandler(handle: handle))
    }
}

private struct EventHandler: EventReceiver {
    let handle: @Sendable (CallEvent) -> Void
    func receive(_ event: CallEvent) { handle(event) }
}
