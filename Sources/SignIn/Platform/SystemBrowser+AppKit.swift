#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    import AppKit
    import Foundation

    extension SystemBrowser {
        /// Opens a URL in the browser that the user has chosen.
        static func show(_ url: URL) async throws {
            guard await MainActor.run(body: { NSWorkspace.shared.open(url) }) else {
                throw SignInError(.browser, "Cannot open a browser: no application opens https URLs; install one.")
            }
        }
    }
#endif
