public import Foundation
public import PatchbayErrors

/// Shows the page on which the user signs in.
///
/// `.systemBrowser` opens the browser of the user. On Apple's systems an app uses `.webAuthentication`, a window of the
/// system in front of the app. A closure is a browser too.
public protocol SignInBrowser: Sendable {
    /// Shows a page.
    ///
    /// The task is cancelled once there is a response, or the sign-in has ended: then close what is still open.
    /// - Returns: the URL of the redirect if the browser has caught it; nil if it arrives elsewhere: at the listener of
    ///   ``OAuthRedirect/loopback``, or at the app, which calls ``OAuthLogin/receive(_:)``.
    /// - Throws: ``SignInError`` (`windowClosed`) when the user closes the window; any other error counts as `browser`.
    func open(_ page: SignInPage) async throws -> URL?
}

/// The page on which the user signs in.
public struct SignInPage: Sendable {
    /// The URL: it has secrets of this sign-in, so do not log it.
    public let url: URL
    /// Where the server sends the browser at the end.
    public let redirectURI: String

    /// Creates a page.
    public init(url: URL, redirectURI: String) {
        self.url = url
        self.redirectURI = redirectURI
    }
}

extension SignInPage: RedactedStringConvertible {
    /// The redirect URI.
    public var description: String { "sign-in page, redirected to \(redirectURI.shown)" }
}
