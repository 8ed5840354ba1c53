import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors
import Queueing
import RequestModel
import Transport

/// The error of a request without a response, or of `HTTPManager.send(_:as:)`.
///
/// As an `NSError` it has `NSURLErrorDomain` and URLSession's code for the failure, as the vendor's errors had.
public struct ORAError: PatchbayError {
    /// The error code.
    public let code: Code
    /// What is wrong and what to do, for developers.
    public let message: String
    /// The response, if one was received.
    public let response: HTTPResponse?
    /// The cause, such as a `TransportError`.
    public let underlying: (any Error)?

    init(_ code: Code, _ message: String, response: HTTPResponse? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.response = response
        self.underlying = underlying
    }
}

extension ErrorCode where Failure == ORAError {
    /// The URL is missing or invalid.
    public static var invalidURL: Self { Self(-1000) }
    /// The URL scheme is missing or not `http` or `https`.
    public static var unsupportedURL: Self { Self(-1002) }
    /// Invalid header, payload or body; nothing was sent.
    public static var invalidRequest: Self { Self(-1) }
    /// No response was received; see ``ORAError/underlying``.
    public static var transport: Self { Self(-1) }
    /// The call was cancelled.
    public static var cancelled: Self { Self(-999) }
    /// The status is not 2xx, in a call that decodes or downloads the response.
    public static var status: Self { Self(-1011) }
    /// The response body cannot be decoded.
    public static var parse: Self { Self(-1017) }
    /// The file of a download cannot be written.
    public static var file: Self { Self(-3003) }
}

extension ORAError {
    /// Maps an error of building a request.
    init(unsendable error: any Error) {
        switch error {
        case let error as ORAError: self = error
        case let error as HTTPMessageError: self.init(error)
        case let error as JSONError: self.init(.invalidRequest, error.message, underlying: error)
        case let error as SystemLibraryError:
            self.init(.invalidRequest, "The body cannot be compressed: \(error)", underlying: error)
        default:
            self.init(
                .invalidRequest, "Invalid request; see the underlying error.", underlying: error)
        }
    }

    /// Error for a status other than 2xx in a call that decodes the response.
    init(unexpected response: HTTPResponse, to request: HTTPRequest) {
        let excerpt = response.excerpt.map { ": \($0)" } ?? ""
        self.init(.status, "\(request): \(response.status)\(excerpt)", response: response)
    }

    /// Maps an error of a download.
    init(_ error: DownloadError, of request: HTTPRequest) {
        let message = "\(request): \(error.message)"
        switch error.subject {
        case .response(let response): self.init(unexpected: response, to: request)
        case .request: self.init(.invalidRequest, message, underlying: error)
        case .transfer: self.init(.transport, message, underlying: error)
        case .file: self.init(.file, message, underlying: error)
        }
    }

    /// Maps an error of a submitted request.
    init(_ error: any Error) {
        switch error {
        case let error as ORAError:
            self = error
        case let error as TransportError where error.code == .cancelled:
            self.init(.cancelled, "The call was cancelled.", underlying: error)
        case let error as TransportError where error.code == .reservedField || error.code == .unreadableBody:
            self.init(.invalidRequest, error.message, underlying: error)
        case let error as TransportError:
            self.init(.transport, error.explanation, underlying: error)
        case let error as AdmissionError:
            self.init(.transport, error.explanation, underlying: error)
        case let error as HTTPMessageError:
            self.init(error)
        case is CancellationError:
            self.init(.cancelled, "The call was cancelled.", underlying: error)
        default:
            self.init(.transport, "Unexpected error in the transport; see the underlying error.", underlying: error)
        }
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
    /// `NSURLErrorDomain`.
    public static var errorDomain: String { NSURLErrorDomain }
    /// URLSession's code for the failure; -1 if it has none.
    public var errorCode: Int { underlyingURLErrorCode?.rawValue ?? code.number }
    /// The URL of the response or request, redacted.
    public var failingURL: String? {
        response.map { Redaction.standard.redacted($0.url) } ?? (underlying as? any PatchbayError)?.failingURL
    }
}
