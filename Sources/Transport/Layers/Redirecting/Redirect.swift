public import Foundation
public import HTTPMessages
public import PatchbayErrors

/// A redirect to follow.
public struct Redirect: Sendable {
    /// The request that was redirected.
    public let request: HTTPRequest
    /// The redirect response; its `HTTPResponseHead.redirects` are the earlier ones.
    public let head: HTTPResponseHead
    /// The URL of the `Location` field, resolved and without a fragment.
    public let target: URL
}

extension Redirect: RedactedStringConvertible {
    /// The response head and the redacted target.
    public var description: String { "\(head) to \(Redaction.standard.redacted(target))" }
}
