public import HTTPMessages

/// State machine of event stream reconnection (WHATWG HTML, section 9.2.3), without I/O and clock.
///
/// The caller sends a request with ``fields``, passes each input to ``handle(_:using:)``, and performs the action:
///
/// ```swift
/// switch state.handle(.connected(head.status, mediaType), using: &generator) {
/// case .read: ...                              // pass the body to a ServerSentEventParser
/// case .reconnect(let delay, let fields): ...  // wait, then send the request again with these fields
/// case .giveUp(let error): throw error
/// }
/// ```
public struct EventSourceState: Hashable, Sendable {
    /// Input of the state machine.
    public enum Input: Hashable, Sendable {
        /// A response head was received, after redirects, with this status and media type.
        case connected(HTTPStatus, MediaType?)
        /// Bytes were parsed; the values are those of ``ServerSentEventParser``.
        case received(lastEventID: String, reconnectionTime: Duration?)
        /// The response body ended.
        case ended
        /// The request failed, or the connection was lost while reading the body.
        case failed

        /// The state of a parser. Pass it after each event, or at the latest before ``ended`` or ``failed``.
        public static func received(by parser: ServerSentEventParser) -> Input {
            .received(lastEventID: parser.lastEventID, reconnectionTime: parser.reconnectionTime)
        }
    }

    /// Action for the caller.
    public enum Action: Hashable, Sendable {
        /// Continue reading.
        case read
        /// Wait, then send the request again with these fields merged in.
        case reconnect(after: Duration, HTTPFields)
        /// Stop: the error is final.
        case giveUp(EventSourceError)
    }

    /// Transitions:
    ///
    ///     connecting  connected (200, event stream)               -> open
    ///     connecting  failed, ended, connected (retryable status) -> connecting, after a backoff; counts as a failure
    ///     open        ended, failed                               -> connecting, after a backoff
    ///     connecting  connected (any other response)              -> closed
    ///     connecting  more failures than the limit                -> closed
    ///
    /// `received` changes no phase; `closed` is final.
    private enum Phase: Hashable {
        case connecting, open
        case closed(EventSourceError)
    }

    private let policy: ReconnectionPolicy
    private var phase = Phase.connecting
    /// Failed attempts in a row.
    private var failures = 0
    /// The ID of the last event, for the parser of the next stream; empty if there is none.
    public private(set) var lastEventID: String
    /// The reconnection time requested by the server, or nil.
    public private(set) var reconnectionTime: Duration?

    /// Creates the state before the first request.
    /// - Parameters:
    ///   - policy: backoff and limit of reconnection.
    ///   - lastEventID: the ID of the last event received earlier; empty for none.
    public init(policy: ReconnectionPolicy = ReconnectionPolicy(), lastEventID: String = "") {
        self.policy = policy
        self.lastEventID = lastEventID
    }

    /// Fields of the next request: `Accept`, and `Last-Event-ID` if there is an ID that is a valid field value.
    public var fields: HTTPFields {
        var fields = HTTPFields()
        try? fields.set(.accept, to: EventStream.mediaType)
        if !lastEventID.isEmpty { try? fields.set("Last-Event-ID", to: lastEventID) }
        return fields
    }

    /// Handles an input and returns the next action; always the same ``Action/giveUp(_:)`` once closed.
    /// - Parameters:
    ///   - input: the input.
    ///   - generator: source of the jitter.
    public mutating func handle(_ input: Input, using generator: inout some RandomNumberGenerator) -> Action {
        if case .closed(let error) = phase { return .giveUp(error) }
        switch input {
        case .connected(let status, _) where policy.retryableStatuses.contains(status):
            phase = .connecting
            return reconnect(status, using: &generator)
        case .connected(let status, let mediaType):
            if let error = Self.error(for: status, mediaType) { return giveUp(error) }
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
                    "\(failures) connection attempts in a row failed; raise `ReconnectionPolicy.maximumFailures` to permit more.",
                    status: status))
        }
        let backoff = policy.backoff(afterFailures: failures, requested: reconnectionTime, using: &generator)
        return .reconnect(after: backoff, fields)
    }

    private mutating func giveUp(_ error: EventSourceError) -> Action {
        phase = .closed(error)
        return .giveUp(error)
    }

    private static func error(for status: HTTPStatus, _ mediaType: MediaType?) -> EventSourceError? {
        if status == .noContent {
            return EventSourceError(
                .noContent, "Event stream closed by the server (204 No Content), which asks not to reconnect.",
                status: status)
        }
        guard status == .ok else {
            return EventSourceError(
                .unacceptableStatus,
                "Not an event stream: expected status 200, got \(status.code); check the URL and the credentials.",
                status: status)
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
