public import Transport

/// A call joined an equal request in flight, and shares its response.
public struct CoalescingEvent: DetailEvent {
    /// Creates the event.
    public init() {}

    /// A text for logs.
    public var description: String { "joined an equal request in flight" }
}
