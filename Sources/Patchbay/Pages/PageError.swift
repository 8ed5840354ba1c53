import Foundation
import HTTPMessages
public import PatchbayErrors

/// A page that was not loaded.
public struct PageError: PatchbayError, Hashable {
    /// The kind of error.
    public let code: Code
    /// The problem and its remedy, for developers.
    public let message: String
    /// The redacted URL of the page.
    public let failingURL: String?

    /// - Parameter request: the request of the page that was not loaded, or of the last one.
    init(_ code: Code, _ message: String, request: HTTPRequest) {
        self.code = code
        self.message = message
        failingURL = request.redactedURL
    }
}

extension ErrorCode where Failure == PageError {
    /// The next page is on another origin, or another one has named its URL.
    public static var otherOrigin: Self { Self(1) }
    /// The next page was loaded before.
    public static var repeatedPage: Self { Self(2) }
    /// There are more pages than ``PageLimits/maximumPages``.
    public static var tooManyPages: Self { Self(3) }
}
