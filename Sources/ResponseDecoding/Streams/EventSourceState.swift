public import HTTPMessages

/// Decides when an event stream is connected again (WHATWG HTML, section 9.2.3): a state machine without a clock and
/// without a network.
///
/// Its user sends a request with ``fields``, tells what happens, and does what it is told:
///
/// ```swift
/// switch state.handle(.connected(head.status, mediaType), using: &generator) {
/// case .read: ...                              // hand the body to a ServerSentEventParser
/// case .reconnect(let delay, let fields): ...  // wait, then send the request again with these fields
/// case .giveUp(let error): throw error
/// }
/// ```
public struct EventSourceState: Hashable, Sendable {
    /// What happened.
    public enum Input: Hashable, Sendable {
        /// The head of a response came, after redirects, with this status and the media type of its `Content-Type`.
        case connected(HTTPStatus, MediaType?)
        /// The stream went on; the values are those of ``ServerSentEventParser``.
        case received(lastEventID: String, reconnectionTime: Duration?)
        /// The body came to its end.
        case ended
        /// There was no response, or its body broke off.
        case failed

        /// What a parser has read so far. Tell it after each event, or at the latest before the stream's end.
        public static func received(by parser: ServerSentEventParser) -> Input {
            .received(lastEventID: parser.lastEventID, reconnectionTime: parser.reconnectionTime)
        }
    }

    /// What to do.
    public enum Action: Hashable, Sendable {
        /// Read on.
        case read
        /// Wait this long and send the request again, with these fields in place of those of the same names.
        case reconnect(after: Duration, HTTPFields)
        /// Stop for good.
        case giveUp(EventSourceError)
    }

    private enum Phase: Hashable {
        case connecting, open
        case closed(EventSourceError)
    }

    private let policy: ReconnectionPolicy
    private var phase = Phase.connecting
    /// How many attempts in a row brought no stream.
    private var failures = 0
    /// The id of the last event; empty when there is none. Start the next stream's parser with it.
    public private(set) var lastEventID: String
    /// What the server asked to wait before it is connected again, if it did.
    public private(set) var reconnectionTime: Duration?

    /// The state before the first request.
    /// - Parameters:
    ///   - policy: how long to wait, and how often.
    ///   - lastEventID: the id to go on from; empty for none.
    public init(policy: ReconnectionPolicy = ReconnectionPolicy(), lastEventID: String = "") {
        self.policy = policy
        self.lastEventID = lastEventID
    }

    /// The fields of the next request: `Accept`, and `Last-Event-ID` when there is an id and a field can carry it.
    public var fields: HTTPFields {
        var fields = HTTPFields()
        try? fields.set(.accept, to: EventStream.mediaType)
        if !lastEventID.isEmpty { try? fields.set("Last-Event-ID", to: lastEventID) }
        return fields
    }

    /// Takes in what happened and says what to do. Once it has said to give up, it says so ever after.
    /// - Parameters:
    ///   - input: what happened.
    ///   - generator: decides the random part of a delay.
    public mutating func handle(_ input: Input, using generator: inout some RandomNumberGenerator) -> Action {
        if case .closed(let error) = phase { return .giveUp(error) }
        switch input {
        case .connected(let status, _) where policy.retriedStatuses.contains(status):
            phase = .connecting
            return reconnect(status, using: &generator)
        case .connected(let status, let mediaType):
            if let error = Self.fault(of: status, mediaType) { return giveUp(error) }
            phase = .open
            failures = 0
            return .read
        case .received(let id, let time):
            lastEventID = id
            reconnectionTime = time ?? reconnectionTime
            return .read
        case .ended, .failed:
            return reconnect(nil, using: &generator)
        }
    }

    private mutating func reconnect(
        _ status: HTTPStatus?, using generator: inout some RandomNumberGenerator
    ) -> Action {
        if phase == .connecting { failures += 1 }
        phase = .connecting
        if let limit = policy.maximumFailures, failures > limit {
            return giveUp(
                EventSourceError(
                    .tooManyFailures,
                    "\(failures) attempts in a row failed; `ReconnectionPolicy.maximumFailures` allows no more.",
                    status: status))
        }
        let delay = policy.delay(afterFailures: failures, requested: reconnectionTime, using: &generator)
        return .reconnect(after: delay, fields)
    }

    private mutating func giveUp(_ error: EventSourceError) -> Action {
        phase = .closed(error)
        return .giveUp(error)
    }

    private static func fault(of status: HTTPStatus, _ mediaType: MediaType?) -> EventSourceError? {
        if status == .noContent {
            return EventSourceError(.noContent, "The server closed the event stream for good.", status: status)
        }
        guard status == .ok else {
            return EventSourceError(.unacceptableStatus, "Not an event stream: expected status 200.", status: status)
        }
        guard mediaType?.essence == EventStream.mediaType else {
            return EventSourceError(
                .unacceptableMediaType,
                "Not an event stream: expected Content-Type \(EventStream.mediaType)\(mediaType.map { ", got \($0.essence)" } ?? ", got none").",
                status: status,
                mediaType: mediaType)
        }
        return nil
    }
}

private enum EventStream {
    static let mediaType = "text/event-stream"
}
