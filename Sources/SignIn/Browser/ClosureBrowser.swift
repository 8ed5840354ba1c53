public import Foundation

/// A closure as a browser: for tests, for a URL that the user copies, and for a browser of the app's own.
public struct ClosureBrowser: SignInBrowser {
    private let show: @Sendable (SignInPage) async throws -> URL?

    /// Creates a browser; for what the closure does, see ``SignInBrowser/open(_:)``.
    public init(_ open: @escaping @Sendable (SignInPage) async throws -> URL?) { show = open }

    /// Calls the closure.
    public func open(_ page: SignInPage) async throws -> URL? { try await show(page) }
}

extension SignInBrowser where Self == ClosureBrowser {
    /// A closure that shows the page; see ``SignInBrowser/open(_:)``.
    public static func custom(_ open: @escaping @Sendable (SignInPage) async throws -> URL?) -> Self {
        ClosureBrowser(open)
    }
}
