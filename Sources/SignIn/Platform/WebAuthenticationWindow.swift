#if canImport(AuthenticationServices) && !os(watchOS)
    import AuthenticationServices
    import Coordination
    import Foundation

    /// One window of ``WebAuthenticationBrowser``.
    @MainActor
    final class WebAuthenticationWindow: NSObject {
        private let anchor: ASPresentationAnchor
        private var session: ASWebAuthenticationSession?
        /// The system may call its handler more than once, and not at all: the first outcome counts.
        private let outcome = Promise<Result<URL, any Error>>()

        init(anchor: ASPresentationAnchor) { self.anchor = anchor }

        /// Shows the window until the redirect, until it is closed, or until the task is cancelled.
        func run(
            _ url: URL, callback: ASWebAuthenticationSession.Callback, isEphemeral: Bool
        ) async throws -> URL {
            guard !Task.isCancelled else { throw SignInError.cancelled }
            // Not isolated: the system calls it on a thread of its own.
            let session = ASWebAuthenticationSession(url: url, callback: callback) { @Sendable [outcome] url, error in
                outcome.fulfill(Self.outcome(url, error))
            }
            session.prefersEphemeralWebBrowserSession = isEphemeral
            setAnchor(of: session)
            self.session = session
            defer { self.session = nil }
            if !session.start() { outcome.fulfill(Self.outcome(nil, nil)) }
            return try await outcome.success { Task { @MainActor in cancel() } }
        }

        private func cancel() {
            outcome.fulfill(.failure(SignInError.cancelled))
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

    #if os(tvOS)
        extension WebAuthenticationWindow {
            /// On tvOS there is one window.
            private func setAnchor(of session: ASWebAuthenticationSession) {}
        }
    #else
        extension WebAuthenticationWindow: ASWebAuthenticationPresentationContextProviding {
            private func setAnchor(of session: ASWebAuthenticationSession) {
                session.presentationContextProvider = self
            }

            func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
        }
    #endif
#endif
