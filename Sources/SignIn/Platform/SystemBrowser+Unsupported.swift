#if !canImport(Glibc) && !canImport(Musl) && (!canImport(AppKit) || targetEnvironment(macCatalyst))
    import Foundation

    extension SystemBrowser {
        /// An app in the background would not get the redirect.
        static func show(_ url: URL) async throws {
            throw SignInError(
                .unsupported,
                "An app cannot wait behind the browser on this system; use `.webAuthentication` on Apple's systems, or "
                    + "`.custom`.")
        }
    }
#endif
