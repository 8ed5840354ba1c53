import Foundation
import HTTPMessages
@_exported public import PatchbayErrors
import Queueing
import ResponseDecoding
import Transport

/// The error of a failed call.
///
/// As an `NSError`, its domain is ``errorDomain`` and its code is the HTTP status for a status of 300 or more, else
/// negative. For a network error, `NSUnderlyingErrorKey` holds an error in `NSURLErrorDomain`.
public struct AKError: PatchbayError {
    /// The error code.
    public let code: Code
    /// What is wrong and what to do, for developers. For a status error: the request, the status, and the server's text
    /// or the start of the body.
    public let message: String
    /// The response, if one was received. On Android the error had only its status and reason.
    public let response: AKHTTPResponse?
    /// The Akula error in the response body, if there is one.
    public let serverError: AKServerError?
    /// The cause, such as a `TransportError`.
    public let underlying: (any Error)?

    init(_ code: Code, _ message: String, response: AKHTTPResponse? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.response = response
        self.underlying = underlying
        serverError = response.flatMap(AKServerError.init)
    }

    /// The HTTP status, if a response was received.
    public var statusCode: Int? { response?.statusCode }

    /// The `NSError` domain.
    public static let errorDomain = "AKErrorDomain"

    static let notInitialized = AKError(
        .configuration, "No base URL is set; call AKServerAgent.initialize before the first call.")
}

extension ErrorCode where Failure == AKError {
    /// No valid base URL is set; call `AKServerAgent.initialize` first.
    public static var configuration: Self { Self(-1) }
    /// Invalid URL, header, body or timeout; nothing was sent.
    public static var invalidRequest: Self { Self(-2) }
    /// No response was received; see ``AKError/underlying``.
    public static var transport: Self { Self(-3) }
    /// The server responded with a status of 300 or more.
    public static var status: Self { Self(-4) }
    /// The response body cannot be decoded.
    public static var parse: Self { Self(-5) }
    /// The call was cancelled.
    public static var cancelled: Self { Self(-6) }
    /// The file of a download cannot be written.
    public static var file: Self { Self(-7) }
}

extension AKError {
    /// Maps an error of building a request. An error of the app's own comes from its body or agent subclass.
    init(unsendable error: any Error) {
        switch error {
        case is AKError, is HTTPMessageError, is JSONError, is TransportError, is CancellationError: self.init(error)
        default:
            self.init(
                .invalidRequest, "Invalid request; see the underlying error.", underlying: error)
        }
    }

    /// Maps an error of decoding a response. An error of the app's own comes from its decoder.
    init(undecodable error: any Error, response: AKHTTPResponse) {
        let reason = (error as? ResponseDecodingError).map(\.description) ?? "See the underlying error."
        self =
            (error as? AKError)
            ?? AKError(.parse, "The response body cannot be decoded. \(reason)", response: response, underlying: error)
    }

    /// Maps any other error.
    init(_ error: any Error) {
        switch error {
        case let error as AKError:
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
            self.init(.invalidRequest, error.message, underlying: error)
        case let error as JSONError:
            self.init(.invalidRequest, error.message, underlying: error)
        case is CancellationError:
            self.init(.cancelled, "The call was cancelled.", underlying: error)
        case let error as any ValueFreeError:
            // An error of a layer.
            self.init(.transport, error.message, underlying: error)
        default:
            self.init(.transport, "Unexpected error in the transport; see the underlying error.", underlying: error)
        }
    }
}

extension AKError {
    /// The HTTP status for a status error, else a negative number.
    public var errorCode: Int { code == .status ? statusCode ?? code.number : code.number }
    /// The URL of the response or request, redacted.
    public var failingURL: String? {
        response.map { Redaction.standard.redacted($0.httpResponse.url) }
            ?? (underlying as? any PatchbayError)?.failingURL
    }
    /// Description, failing URL and underlying error. For a network error the underlying error is in
    /// `NSURLErrorDomain`, with the code that `URLSession` reports on Apple platforms.
    public var errorUserInfo: [String: Any] {
        let cause = underlying?.redactedNSError
        guard underlyingURLErrorCode != nil else { return userInfo(underlying: cause) }
        return userInfo(underlying: cause?.userInfo[NSUnderlyingErrorKey] as? NSError)
    }
}
