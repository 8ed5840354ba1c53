import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors
import Queueing
import RequestModel
import Transport

/// Why a request brought no answer, or, with ``HTTPManager/send(_:as:)``, not the answer that was wanted.
///
/// As an `NSError` it has URLSession's domain, `NSURLErrorDomain`, and the code that URLSession has for what happened,
/// because that is what the vendor handed on.
public struct ORAError: PatchbayError {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The URL is missing or is none.
        public static let invalidURL = Code(name: "invalidURL", number: -1000)
        /// The URL has no scheme, or another one than `http` and `https`.
        public static let unsupportedURL = Code(name: "unsupportedURL", number: -1002)
        /// The request cannot be sent as it is: a header, the payload or the body is at fault.
        public static let invalidRequest = Code(name: "invalidRequest", number: -1)
        /// No answer came; ``ORAError/underlying`` says why.
        public static let transport = Code(name: "transport", number: -1)
        /// The call was cancelled.
        public static let cancelled = Code(name: "cancelled", number: -999)
        /// A decoded answer was asked for, and the server answered with another status than 2xx.
        public static let status = Code(name: "status", number: -1011)
        /// The body is not what was asked for.
        public static let parse = Code(name: "parse", number: -1017)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened and what to do about it, for a developer.
    public let message: String
    /// The answer, when one came.
    public let response: HTTPResponse?
    /// What lies beneath, such as a `TransportError`.
    public let underlying: (any Error)?

    init(_ code: Code, _ message: String, response: HTTPResponse? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.response = response
        self.underlying = underlying
    }
}

extension ORAError {
    /// What kept a request from being made.
    init(unsendable error: any Error) {
        switch error {
        case let error as ORAError: self = error
        case let error as HTTPMessageError: self.init(error)
        case let error as SystemLibraryError:
            self.init(.invalidRequest, "The body cannot be compressed here: \(error)", underlying: error)
        default:
            self.init(
                .invalidRequest, "The request could not be made; the underlying error says why.", underlying: error)
        }
    }

    /// A response of another status than 2xx, where a decoded one was wanted.
    init(unexpected response: HTTPResponse, to request: HTTPRequest) {
        let excerpt = response.excerpt.map { ": \($0)" } ?? ""
        self.init(.status, "\(request): \(response.status)\(excerpt)", response: response)
    }

    /// What ended a call that was under way.
    init(_ error: any Error) {
        switch error {
        case let error as ORAError:
            self = error
        case let error as TransportError where error.code == .cancelled:
            self.init(.cancelled, "The call was cancelled.", underlying: error)
        case let error as TransportError where error.code == .reservedField:
            self.init(.invalidRequest, error.message, underlying: error)
        case let error as TransportError:
            self.init(.transport, error.explanation, underlying: error)
        case let error as QueueError:
            self.init(.transport, Self.text(error.request, error.message, error.attempts), underlying: error)
        case let error as RetryError:
            let message = """
                \(error.head.status); the server asks to wait \(error.retryAfter.secondsText) before a retry \
                (Retry-After), and `maximumRetryAfter` of ORAHTTPManager.configureShared allows \(error.cap.secondsText)
                """
            self.init(.transport, Self.text(error.request, message, error.attempts), underlying: error)
        case let error as HTTPMessageError:
            self.init(error)
        case is CancellationError:
            self.init(.cancelled, "The call was cancelled.", underlying: error)
        default:
            self.init(.transport, "The call failed below; the underlying error says why.", underlying: error)
        }
    }

    private static func text(
        _ request: String?, _ message: String, _ attempts: [TransportError.Attempt]
    ) -> String {
        let text = request.map { "\($0): \(message)" } ?? message
        return attempts.count > 1 ? attempts.ending(text) : text
    }

    private init(_ error: HTTPMessageError) {
        switch error.code {
        case .invalidURL, .userInfoInURL: self.init(.invalidURL, error.message, underlying: error)
        case .unsupportedScheme: self.init(.unsupportedURL, error.message, underlying: error)
        default: self.init(.invalidRequest, error.message, underlying: error)
        }
    }
}

extension ORAError {
    /// URLSession's domain.
    public static var errorDomain: String { NSURLErrorDomain }
    /// URLSession's code for what happened; -1 where it has none.
    public var errorCode: Int { (underlying as? TransportError)?.urlErrorCode?.rawValue ?? code.number }
    /// The URL that answered, or that of the request, without secrets.
    public var failingURL: String? {
        response.map { Redaction.standard.text(of: $0.url) } ?? (underlying as? any PatchbayError)?.failingURL
    }
}
