public import Foundation

/// An error of this package: a code, a message for a developer, and the `NSError` made of them.
///
/// Every public error type conforms. As an `NSError` it has ``errorDomain`` and the number of its code, the description
/// as the localized description, the URL of the failed request and the underlying error. `Documentation/Errors.md` lists
/// all domains and numbers.
///
/// No text of such an error holds a secret: URLs are redacted, header fields are not shown, and of a body only what
/// `Documentation/Errors.md` says.
public protocol PatchbayError: LocalizedError, CustomNSError, CustomStringConvertible, CustomReflectable, Sendable {
    /// The type of ``code``.
    associatedtype Code: PatchbayErrorCode

    /// What kind of failure it is.
    var code: Code { get }
    /// What is wrong and what to do about it, for a developer.
    var message: String { get }
    /// The URL of the request that failed, redacted; nil where there is none.
    var failingURL: String? { get }
    /// The error that caused this one. It may be of any type, and quote what it was about.
    var underlying: (any Error)? { get }
}

extension PatchbayError {
    /// The URL of the underlying error, by default.
    public var failingURL: String? { (underlying as? any PatchbayError)?.failingURL }
    /// None, by default.
    public var underlying: (any Error)? { nil }
    /// The message with its code.
    public var description: String { "\(message) [\(code)]" }

    /// `Patchbay.` and the name of the type, by default.
    public static var errorDomain: String { "Patchbay.\(Self.self)" }
    /// The number of the code.
    public var errorCode: Int { code.number }
    /// The description, the failing URL and the underlying error, without secrets.
    public var errorUserInfo: [String: Any] { userInfo(underlying: underlying.map(\.redactedNSError)) }
    /// The description.
    public var errorDescription: String? { description }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }

    /// The user info of an `NSError` for this error.
    package func userInfo(underlying: NSError?) -> [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        info[NSUnderlyingErrorKey] = underlying
        // NSURLErrorFailingURLStringErrorKey, which is deprecated, but what logs show.
        info["NSErrorFailingURLStringKey"] = failingURL
        info[NSURLErrorFailingURLErrorKey] = failingURL.flatMap { URL(string: $0) }
        return info
    }
}

extension Error {
    /// The error as an `NSError` that can be logged: without the URL that `URLSession` adds, and without the text that
    /// a decoder quotes. Errors of an app's own types stay as they are.
    package var redactedNSError: NSError {
        switch self {
        case let error as URLError:
            NSError(
                domain: NSURLErrorDomain, code: error.errorCode,
                userInfo: [NSLocalizedDescriptionKey: error.localizedDescription])
        case is DecodingError, is EncodingError:
            NSError(domain: (self as NSError).domain, code: (self as NSError).code)
        case is any PatchbayError:
            self as NSError
        default:
            (self as NSError).withoutURL
        }
    }
}

extension NSError {
    /// The error itself, or one with its domain, code and text only where its user info names a URL, as the errors of
    /// CFNetwork do.
    fileprivate var withoutURL: NSError {
        let cause = userInfo[NSUnderlyingErrorKey] as? NSError
        let names = ["NSErrorFailingURLStringKey", NSURLErrorFailingURLErrorKey]
        guard names.contains(where: { userInfo[$0] != nil }) || cause.map({ $0.withoutURL !== $0 }) ?? false else {
            return self
        }
        return NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: localizedDescription])
    }
}
