public import Transport

/// A step of a request in a queue.
@nonexhaustive public enum QueueEvent: DetailEvent {
    /// The request waits.
    /// - `length`: the number of waiting requests, this one included.
    case queued(length: Int)
    /// The request has a slot.
    /// - `wait`: the time in the queue; zero if a slot was free.
    case started(wait: Duration)

    /// A text for logs.
    public var description: String {
        switch self {
        case .queued(let length): "queued, \(length) waiting"
        case .started(let wait): "started after \(wait) in the queue"
        }
    }
}
