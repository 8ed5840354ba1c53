#if canImport(AuthenticationServices) && !os(watchOS)
    import AuthenticationServices
    import Foundation

    /// One window of ``WebAuthenticationBrowser``.
    @MainActor
    final class WebAuthenticationWindow: NSObject {
        private let anchor: ASPresentationAnchor
        private var session: ASWebAuthenticationSession?
        private var isCancelled = false

        init(anchor: ASPresentationAnchor) { self.anchor = anchor }

        /// Shows the window until the redirect, or until it is closed.
        func run(
            _ url: URL, callback: ASWebAuthenticationSession.Callback, isEphemeral: Bool
        ) async throws -> URL {
            guard !isCancelled else { throw SignInError.cancelled }
            return try await withCheckedThrowingContinuation { continuation in
                let session = ASWebAuthenticationSession(url: url, callback: callback) { url, error in
                    continuation.resume(with: Self.outcome(url, error))
                }
                session.prefersEphemeralWebBrowserSession = isEphemeral
                #if !os(tvOS)
                    session.presentationContextProvider = self
                #endif
                self.session = session
                // After false, the system calls the completion handler too.
                session.start()
            }
        }

        /// Closes the window.
        func cancel() {
            isCancelled = true
            session?.cancel()
        }

        private nonisolated static func outcome(_ url: URL?, _ error: (any Error)?) -> Result<URL, any Error> {
            if let url { return .success(url) }
            if (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin {
                return .failure(SignInError.windowClosed)
            }
            return .failure(
                SignInError(
                    .browser,
                    "The system did not show the window of the sign-in; check its anchor and the redirect URI.",
                    underlying: error))
        }
    }

    #if !os(tvOS)
        extension WebAuthenticationWindow: ASWebAuthenticationPresentationContextProviding {
            func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
        }
    #endif
#endif
