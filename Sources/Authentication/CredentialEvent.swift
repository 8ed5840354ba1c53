import HTTPMessages
public import Transport

/// A call has waited for a credential.
public struct CredentialEvent: DetailEvent {
    /// The time of the wait.
    public let wait: Duration
    /// True if the call has a credential now; false if none was obtained.
    public let isObtained: Bool

    /// Creates the event.
    public init(wait: Duration, isObtained: Bool) {
        self.wait = wait
        self.isObtained = isObtained
    }

    /// A text for logs.
    public var description: String {
        isObtained ? "credential obtained after \(wait.secondsText)" : "no credential after \(wait.secondsText)"
    }
}
