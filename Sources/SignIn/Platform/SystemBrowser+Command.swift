#if canImport(Glibc) || canImport(Musl)
    import Coordination
    import Foundation
    import SystemLibraries

    extension SystemBrowser {
        /// Opens a URL with `xdg-open`, which may run as long as the browser does.
        static func show(_ url: URL) async throws {
            let outcome = Promise<Result<CInt?, POSIXError>>()
            let thread = Thread {
                outcome.fulfill(
                    Result { () throws(POSIXError) in try SystemCommand.run("xdg-open", [url.absoluteString]) })
            }
            thread.name = "patchbay.browser"
            thread.start()
            let status: CInt?
            do {
                // Once the sign-in has ended, the browser may stay open.
                status = try await outcome.success { outcome.fulfill(.success(nil)) }
            } catch {
                throw SignInError(
                    .browser,
                    "Cannot open a browser: `xdg-open` \(error.code == .ENOENT ? "is not installed" : "cannot be run"); "
                        + "show the URL by `.custom`, or sign in by `tokens(scopes:showing:)` on another device.",
                    underlying: error)
            }
            guard let status, status != 0 else { return }
            throw SignInError(
                .browser,
                "Cannot open a browser: `xdg-open` failed with status \(status); show the URL by `.custom`, or sign in by "
                    + "`tokens(scopes:showing:)` on another device.")
        }
    }
#endif
