/// An event of an event stream (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// What kind of event it is; `message` when the stream does not say.
    public var type: String
    /// What it says; lines are separated by LF.
    public var data: String
    /// The id of this event, or else of the last one that had one; empty when none had.
    public var lastEventID: String

    /// An event.
    public init(type: String = "message", data: String, lastEventID: String = "") {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
    }
}
