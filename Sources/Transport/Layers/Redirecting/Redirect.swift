public import Foundation
public import HTTPMessages

/// A redirect that can be followed.
public struct Redirect: Sendable {
    /// The request that was redirected.
    public let request: HTTPRequest
    /// What came back for it; its ``HTTPMessages/HTTPResponseHead/redirects`` are those before this one.
    public let head: HTTPResponseHead
    /// Where it leads, without a fragment.
    public let target: URL
}

extension Redirect: CustomStringConvertible, CustomReflectable {
    /// Status, origin and target, without secrets.
    public var description: String { "\(head) to \(Redaction.standard.text(of: target))" }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["redirect": description]) }
}
