#if canImport(AuthenticationServices) && !os(watchOS)
    public import Authentication
    public import AuthenticationServices
    public import Foundation
    import HTTPMessages

    /// The system's window for signing in (`ASWebAuthenticationSession`), which catches the redirect by itself.
    ///
    /// Use it with ``OAuthRedirect/uri(_:)``: a scheme of the app, or an https URL of a domain that is associated with
    /// the app.
    public struct WebAuthenticationBrowser: SignInBrowser {
        private let isEphemeral: Bool
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

        /// Creates a browser.
        /// - Parameters:
        ///   - isEphemeral: whether it shares no cookies with the user's browser, so that the user signs in each time.
        ///   - anchor: the window in front of which it is shown.
        public init(isEphemeral: Bool = false, anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
            self.isEphemeral = isEphemeral
            self.anchor = anchor
        }

        /// Shows the page, and returns the redirect.
        /// - Throws: ``SignInError`` (`windowClosed`, `browser`, `unsupported`).
        @MainActor
        public func open(_ page: SignInPage) async throws -> URL? {
            let window = WebAuthenticationWindow(anchor: anchor())
            let callback = try Self.callback(page.redirectURI)
            return try await window.run(page.url, callback: callback, isEphemeral: isEphemeral)
        }

        private static func callback(_ uri: String) throws -> ASWebAuthenticationSession.Callback {
            let parts = URLReference(uri[...])
            switch parts.scheme?.lowercased() {
            case "https":
                return .https(host: Origin(parts).host, path: String(parts.path))
            case let scheme? where scheme != "http":
                return .customScheme(scheme)
            default:
                throw SignInError(
                    .unsupported,
                    "The system's window catches no redirect to \(uri.shown); use `.uri(...)` with a scheme of the app."
                )
            }
        }
    }

    extension SignInBrowser where Self == WebAuthenticationBrowser {
        /// The system's window for signing in, in front of a window of the app.
        public static func webAuthentication(
            isEphemeral: Bool = false, anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
        ) -> Self {
            WebAuthenticationBrowser(isEphemeral: isEphemeral, anchor: anchor)
        }
    }

    // As those for a `ClosureBrowser`, so that `opening: .webAuthentication { window }` compiles.
    extension OAuthLogin {
        /// Signs the user in with the system's window.
        /// - Parameters: as those of the generic method.
        public func tokens(
            scopes: OAuthScope, opening browser: WebAuthenticationBrowser, parameters: [String: String] = [:]
        ) async throws -> OAuthClient {
            try await signIn(scopes: scopes, opening: browser, parameters: parameters).tokens
        }

        /// Signs the user in with the system's window, and returns the ID token too.
        /// - Parameters: as those of the generic method.
        public func signIn(
            scopes: OAuthScope, opening browser: WebAuthenticationBrowser, parameters: [String: String] = [:]
        ) async throws -> SignInResult {
            let browser: some SignInBrowser = browser
            return try await signIn(scopes: scopes, opening: browser, parameters: parameters)
        }
    }
#endif
