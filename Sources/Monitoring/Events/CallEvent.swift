public import Authentication
public import HTTPCaching
public import HTTPMessages
import PatchbayErrors
public import Queueing
public import Transport

/// One event of a call: what happened, when, and in which attempt.
///
/// The events of a call arrive in the order in which they happened, from ``Kind/created`` to exactly one
/// ``Kind/ended(_:)``. Attempts need the layer ``ObservingAttempts``: without it an attempt begins with its first
/// event, and has no end of its own.
///
/// ```
/// created -> [queued] -> [started] -> attempt -> sent -> head -> body -> attemptEnded -> ended
///                                     attemptEnded -> redirect, retry, challenge -> attempt
/// ```
public struct CallEvent: Sendable {
    /// What happened.
    ///
    /// Large values are boxed: events are copied, and two threads that count references to the same values slow each
    /// other down.
    @nonexhaustive public enum Kind: Sendable {
        /// The call started.
        case created
        /// The request waits in a queue of this length, itself included.
        case queued(length: Int)
        /// The request left the queue.
        case started(wait: Duration)
        /// A request is sent.
        case attempt(ObservedAttempt)
        /// The name of the server was resolved. Known when the engine tells it, with its end.
        case resolved
        /// The connection was opened; likewise.
        case connected
        /// The TLS handshake was done; likewise.
        case secured
        /// Bytes of the request body sent so far, and the total if known.
        case sent(Int64, total: Int64?)
        /// The response head arrived.
        indirect case head(HTTPResponseHead)
        /// Decoded bytes of the response body received so far, and the total if known.
        case body(Int64, total: Int64?)
        /// A redirect is followed.
        indirect case redirect(RedirectEvent)
        /// An attempt failed, and another one follows after a wait.
        indirect case retry(TransportError.AttemptRecord)
        /// A server rejected the credential.
        case challenge(HTTPStatus)
        /// The call waited for a credential.
        indirect case credential(CredentialEvent)
        /// A circuit changed, or refused the request.
        indirect case circuit(CircuitEvent)
        /// A hedged attempt started or won.
        indirect case hedge(HedgeEvent)
        /// The call joined an equal request in flight.
        case coalesced
        /// What a cache did; a call with a response from there has no attempt.
        indirect case cache(CacheEvent)
        /// An event of another layer.
        indirect case layer(any LayerEvent)
        /// An attempt ended.
        case attemptEnded(ObservedEnd)
        /// The call ended.
        case ended(ObservedEnd)
    }

    /// The call.
    public let call: ObservedCall
    /// The number of the attempt, from 1; 0 for an event of the call.
    public let attempt: Int
    /// The time since the start of the call.
    public let time: Duration
    /// What happened.
    public let kind: Kind

    /// Creates an event, such as for the test of a sink.
    public init(_ kind: Kind, of call: ObservedCall, attempt: Int = 0, time: Duration) {
        self.call = call
        self.attempt = attempt
        self.time = time
        self.kind = kind
    }
}

extension CallEvent: RedactedStringConvertible {
    /// The ID of the call, the time, and what happened, on one line without secrets.
    public var description: String { "\(call.id) +\(time.logText) \(kind)" }
}

extension CallEvent.Kind: RedactedStringConvertible {
    /// What happened, on one line without secrets.
    public var description: String {
        switch self {
        case .created: "created"
        case .queued(let length): "\(QueueEvent.queued(length: length))"
        case .started(let wait): "started after \(wait.logText) in the queue"
        case .attempt(let attempt): "\(attempt)"
        case .resolved: "name resolved"
        case .connected: "connected"
        case .secured: "secured"
        case .sent(let count, let total): "sent \(Self.text(count, total))"
        case .head(let head): "head: \(head)"
        case .body(let count, let total): "received \(Self.text(count, total))"
        case .redirect(let event): "redirect: \(event)"
        case .retry(let record): "retry: \(record)"
        case .challenge(let status): "challenge: \(status)"
        case .credential(let event): "\(event)"
        case .circuit(let event): "\(event)"
        case .hedge(let event): "\(event)"
        case .coalesced: "\(CoalescingEvent())"
        case .cache(let event): "\(event)"
        case .layer(let event): "\(event)"
        case .attemptEnded(let end): "attempt ended: \(end)"
        case .ended(let end): "ended: \(end)"
        }
    }

    private static func text(_ count: Int64, _ total: Int64?) -> String {
        total.map { "\(count) of \($0) bytes" } ?? "\(count) bytes"
    }
}
