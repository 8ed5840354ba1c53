// Stand-in for Apple's module of this name: what the window of a sign-in uses.
public import Foundation

/// A window: `NSWindow` or `UIWindow`.
@MainActor open class ASPresentationAnchor: NSObject {}

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

open class ASWebAuthenticationSession: NSObject {
    /// Called on any thread.
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    public struct Callback {
        public static func customScheme(_ scheme: String) -> Callback { Callback() }
        public static func https(host: String, path: String) -> Callback { Callback() }
    }

    open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    open var prefersEphemeralWebBrowserSession = false

    public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}

    @discardableResult open func start() -> Bool { false }
    open func cancel() {}
}

public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Sendable { case canceledLogin, presentationContextNotProvided, presentationContextInvalid }
    public let code: Code
}
