public import Foundation

/// Protocol of all public errors of this package: a code, a message for developers, and an `NSError` bridge.
///
/// The `NSError` has ``errorDomain``, the number of the code, ``description`` as the localized description, the URL of
/// the failed request and the underlying error. `Documentation/Errors.md` lists all domains and numbers.
///
/// Descriptions contain no secrets: URLs are redacted, header fields are omitted, and bodies are quoted only as
/// described in `Documentation/Errors.md`.
public protocol PatchbayError: LocalizedError, CustomNSError, CustomStringConvertible, CustomReflectable, Sendable {
    /// The type of ``code``.
    typealias Code = ErrorCode<Self>

    /// The kind of error.
    var code: Code { get }
    /// The problem and its remedy, for developers.
    var message: String { get }
    /// The redacted URL of the failed request, or nil.
    var failingURL: String? { get }
    /// The error that caused this one, of any type. It may contain secrets.
    var underlying: (any Error)? { get }
    /// True if the call ended because it was cancelled.
    var isCancellation: Bool { get }
}

extension PatchbayError {
    /// Default: the URL of the underlying error.
    public var failingURL: String? { (underlying as? any PatchbayError)?.failingURL }
    /// Default: nil.
    public var underlying: (any Error)? { nil }
    /// Default: true for a code with the name `cancelled`.
    public var isCancellation: Bool { code.name == "cancelled" }
    /// Default: the message and the code.
    public var description: String { "\(message) [\(code)]" }

    /// Default: `Patchbay.` and the name of the type.
    public static var errorDomain: String { "Patchbay.\(Self.self)" }
    /// The number of the code.
    public var errorCode: Int { code.number }
    /// The description, the failing URL and the redacted underlying error.
    public var errorUserInfo: [String: Any] { userInfo(underlying: underlying.map(\.redactedNSError)) }
    /// The description.
    public var errorDescription: String? { description }
    /// Same content as ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }

    /// Returns the user info of the `NSError` for this error.
    package func userInfo(underlying: NSError?) -> [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        info[NSUnderlyingErrorKey] = underlying
        // The value of NSURLErrorFailingURLStringErrorKey, which is deprecated but still shown by logs.
        info["NSErrorFailingURLStringKey"] = failingURL
        info[NSURLErrorFailingURLErrorKey] = failingURL.flatMap { URL(string: $0) }
        return info
    }
}

extension Error {
    /// The error as an `NSError` for logs: without the URL that `URLSession` adds, and without quotes of decoder input.
    ///
    /// Errors of other types, such as an app's own, are unchanged.
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
    /// The error itself, or without user info but the localized description if that has a URL, as CFNetwork's does.
    fileprivate var withoutURL: NSError {
        let cause = userInfo[NSUnderlyingErrorKey] as? NSError
        let names = ["NSErrorFailingURLStringKey", NSURLErrorFailingURLErrorKey]
        guard names.contains(where: { userInfo[$0] != nil }) || cause.map({ $0.withoutURL !== $0 }) ?? false else {
            return self
        }
        return NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: localizedDescription])
    }
}

/// Kind of an error: a name and the number of its `NSError`.
///
/// Compare with `==`, or `switch` with a `default`, since codes may be added. Names and numbers never change. The codes
/// of an error are static members:
///
/// ```swift
/// extension ErrorCode where Failure == CacheError {
///     static var stale: Self { Self(1) }
/// }
/// ```
public struct ErrorCode<Failure>: Hashable, Sendable, CustomStringConvertible {
    /// The name of the static member.
    public let name: String
    /// The code of the `NSError`.
    public let number: Int

    /// Creates a code, named after the static member that calls it.
    public init(_ number: Int, name: String = #function) {
        self.name = name
        self.number = number
    }

    /// Same as ``name``.
    public var description: String { name }
}
