public import Foundation

/// The browser of the user, in which sessions and password managers are.
///
/// The redirect arrives at ``OAuthRedirect/loopback``, or as a URL that the app is opened with. It does not tell when
/// the user closes the page: the sign-in then ends by `SignInSettings.responseTimeout`, or by cancelling its task.
/// On Linux it needs `xdg-open`. While that runs, other users of the machine may read the page's URL in its arguments.
/// They can redeem no code of the user with it, but they can end the sign-in with an account of their own (RFC 9700,
/// section 4.5): on a machine that is shared with others, use ``OAuthLogin/tokens(scopes:showing:)``.
public struct SystemBrowser: SignInBrowser {
    /// Creates a browser.
    public init() {}

    /// Opens the page.
    /// - Throws: ``SignInError`` (`browser`; `unsupported` on systems on which an app uses `.webAuthentication`).
    public func open(_ page: SignInPage) async throws -> URL? {
        try await Self.show(page.url)
        return nil
    }
}

extension SignInBrowser where Self == SystemBrowser {
    /// The browser of the user.
    public static var systemBrowser: Self { SystemBrowser() }
}
