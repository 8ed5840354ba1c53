public import HTTPMessages
public import Transport

/// A server asked for a credential, or another one.
public struct ChallengeEvent: DetailEvent {
    /// The status of the challenge.
    public let status: HTTPStatus

    /// Creates the event.
    public init(_ status: HTTPStatus) { self.status = status }

    /// A text for logs.
    public var description: String { "challenge: \(status)" }
}

extension AttemptReason {
    /// The response before is a challenge.
    public static let challenge = AttemptReason("challenge")
}
