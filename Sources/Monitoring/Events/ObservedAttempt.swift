public import HTTPMessages
import PatchbayErrors

/// One request that a call sends: a first one, a retry, a redirect, a hedge, or one with a new credential.
public final class ObservedAttempt: Sendable {
    /// The number among the requests of the call, from 1.
    public let number: Int
    /// Why it is sent.
    public let reason: AttemptReason
    /// The request as it is sent; that of the call if only the call is observed.
    public var request: HTTPRequest { ownRequest?.value ?? call.request }
    /// The call.
    public let call: ObservedCall
    /// Nil for the request of the call.
    private let ownRequest: Box<HTTPRequest>?
    /// The time of its start, since the start of the call; negative if another call that shared the request began it.
    public let start: Duration

    /// Creates an attempt, such as for the test of a sink.
    /// - Parameter request: nil is that of the call.
    public init(
        _ number: Int, of call: ObservedCall, reason: AttemptReason = .initial, request: HTTPRequest? = nil,
        start: Duration = .zero
    ) {
        self.number = number
        self.call = call
        self.reason = reason
        ownRequest = request.map(Box.init)
        self.start = start
    }
}

extension ObservedAttempt: RedactedStringConvertible {
    /// The number, the reason, the method and the redacted URL.
    public var description: String { "attempt \(number) (\(reason)): \(request)" }
}
