/// What ``Outbox/add(_:key:as:expiresAfter:)`` did with a request.
public struct OutboxTicket: Hashable, Sendable {
    /// What became of the request.
    @nonexhaustive public enum Outcome: Hashable, Sendable {
        /// It is a new entry.
        case added
        /// It has replaced a waiting entry of its key, and has that one's place.
        case replaced
        /// It was dropped, and so was the waiting entry of its key.
        case dropped
    }

    /// The entry; of a dropped request, the one that it was dropped with.
    public let id: OutboxEntry.ID
    /// What became of the request.
    public let outcome: Outcome
}
