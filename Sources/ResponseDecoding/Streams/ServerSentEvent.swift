/// Event of an event stream (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// The event type; default `message`.
    public var type: String
    /// The data; lines are separated by LF.
    public var data: String
    /// The ID of this event or of the last one that had an ID; empty if there is none.
    public var lastEventID: String

    /// Creates an event.
    public init(type: String = "message", data: String, lastEventID: String = "") {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
    }
}
