import Foundation
import HTTPMessages
@_exported public import PatchbayErrors

/// An unexpected request of a ``RoutedTransport``, a ``ScriptedTransport`` or a ``WebSocketPeer``, or calls that were
/// not as routes expect.
public struct RoutingError: PatchbayError {
    /// The kind of error.
    public let code: Code
    /// The problem and its remedy, for developers.
    public let message: String
    /// The redacted URL of the unexpected request, or nil.
    public var failingURL: String?
    /// What was not as expected, each in a text.
    public var violations: [String] = []

    init(unexpected request: HTTPRequest, _ problem: String) {
        code = .unexpectedRequest
        message = "Unexpected request \(request): \(problem)"
        failingURL = request.redactedURL
    }

    init(violations: [String]) {
        code = .notAsExpected
        message = violations.joined(separator: "; ") + "."
        self.violations = violations
    }
}

extension ErrorCode where Failure == RoutingError {
    /// No route and no step of a script expects the request.
    public static var unexpectedRequest: Self { Self(1) }
    /// Routes were not called as often as they expect, or not in their order; see ``RoutingError/violations``.
    public static var notAsExpected: Self { Self(2) }
}
