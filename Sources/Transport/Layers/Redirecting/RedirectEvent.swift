public import Foundation
public import HTTPMessages

/// A redirect is followed; its target is requested next.
public struct RedirectEvent: DetailEvent {
    /// The redirect response.
    public let head: HTTPResponseHead
    /// The URL that is requested next.
    public let target: URL

    /// Creates the event.
    public init(_ head: HTTPResponseHead, to target: URL) {
        self.head = head
        self.target = target
    }

    /// The status and the redacted target.
    public var description: String { "\(head.status) to \(Redaction.standard.redacted(target))" }
}

extension AttemptReason {
    /// The response before is a redirect.
    public static let redirect = AttemptReason("redirect")
}
