import Authentication
import Foundation
import HTTPMessages
@_exported public import PatchbayErrors
import RequestModel
import Transport

/// The domain of the `NSError`s of requests, as in the library from which the vendor's derives.
public let SDMNetworkRequestErrorDomain = "ASIHTTPRequestErrorDomain"

/// The error of a failed request.
///
/// A status such as 404 is no error: such a request finishes. As an `NSError` the domain is
/// ``SDMNetworkRequestErrorDomain``, the codes are the vendor's 1 to 11, and `NSUnderlyingErrorKey` has the cause.
public struct SDMError: PatchbayError {
    /// The error code.
    public let code: Code
    /// What is wrong and what to do, for developers.
    public let message: String
    /// The cause, such as a `TransportError`.
    public let underlying: (any Error)?

    init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// ``SDMNetworkRequestErrorDomain``.
    public static var errorDomain: String { SDMNetworkRequestErrorDomain }
    /// True for `requestCancelled`.
    public var isCancellation: Bool { code == .requestCancelled }
}

extension ErrorCode where Failure == SDMError {
    /// No response was received; see ``SDMError/underlying``. For certificates the message contains "SSL problem".
    public static var connectionFailure: Self { Self(1) }
    /// No bytes were sent or received for `timeOutSeconds`.
    public static var requestTimedOut: Self { Self(2) }
    /// The server or a proxy demands credentials that the request does not have, or rejects them.
    public static var authentication: Self { Self(3) }
    /// The request was cancelled.
    public static var requestCancelled: Self { Self(4) }
    /// The request has no URL.
    public static var unableToCreateRequest: Self { Self(5) }
    /// Nothing was sent: invalid URL, header or body, a setting that this platform does not support, or a method of the
    /// delegate that takes another number of arguments.
    public static var internalErrorWhileBuildingRequest: Self { Self(6) }
    /// The credentials cannot be encoded for the server's challenge.
    public static var internalErrorWhileApplyingCredentials: Self { Self(7) }
    /// The file of a body or of a download cannot be read or written.
    public static var fileManagement: Self { Self(8) }
    /// More than five redirects.
    public static var tooMuchRedirection: Self { Self(9) }
    /// An error that the app's own code threw.
    public static var unhandledException: Self { Self(10) }
    /// The request body cannot be compressed, or the response body cannot be decoded.
    public static var compression: Self { Self(11) }
}

extension SDMError {
    /// The error of a cancelled request.
    static let cancelled = SDMError(.requestCancelled, "The request was cancelled.")

    /// The error of a request, and of those that wait for the same decision, after `cancelAuthentication()`.
    static let authenticationCancelled = SDMError(.authentication, "The delegate has cancelled the authentication.")

    /// The error of a request, and of those that wait for the same decision, after a retry without credentials.
    static let suppliedNothing = SDMError(
        .authentication,
        "Authentication needed: `retryUsingSuppliedCredentials()` was called without credentials; set `username` and "
            + "`password` before, for a proxy `proxyUsername` and `proxyPassword`.")

    /// Maps an error of the layers below.
    init(_ error: any Error) {
        switch error {
        case let error as SDMError: self = error
        case let error as TransportError: self.init(error)
        case let error as HTTPMessageError where error.code == .unreadableFile:
            self.init(.fileManagement, error.message, underlying: error)
        case let error as HTTPMessageError:
            self.init(.internalErrorWhileBuildingRequest, error.message, underlying: error)
        case let error as SystemLibraryError:
            self.init(.compression, "The body cannot be compressed: \(error)", underlying: error)
        case let error as AuthenticationError
        where [.unsupportedChallenge, .serverNotAuthentic, .noCredential].contains(error.code):
            self.init(.authentication, error.message, underlying: error)
        case let error as AuthenticationError:
            self.init(.internalErrorWhileApplyingCredentials, error.message, underlying: error)
        case is CancellationError: self = .cancelled
        case let error as any ValueFreeError:
            // An error of a layer, such as an open circuit.
            self.init(.connectionFailure, error.message, underlying: error)
        case is any PatchbayError: self.init(.connectionFailure, Self.unexpected(error), underlying: error)
        default: self.init(.unhandledException, Self.unexpected(error), underlying: error)
        }
    }

    private static func unexpected(_ error: any Error) -> String {
        "Unexpected error: \(type(of: error)); see the underlying error."
    }

    private init(_ error: TransportError) {
        switch error.code {
        case .cancelled: self = .cancelled
        case .timedOut: self.init(.requestTimedOut, error.explanation, underlying: error)
        case .tls:
            self.init(
                .connectionFailure,
                "A connection failure occurred: SSL problem (possibly a bad, expired or self-signed certificate). "
                    + error.explanation, underlying: error)
        case .reservedField, .unsupported:
            self.init(.internalErrorWhileBuildingRequest, error.message, underlying: error)
        case .unreadableBody, .temporaryStorage: self.init(.fileManagement, error.message, underlying: error)
        case .undecodableContent: self.init(.compression, error.explanation, underlying: error)
        case .tooManyRedirects: self.init(.tooMuchRedirection, error.explanation, underlying: error)
        default: self.init(.connectionFailure, "A connection failure occurred: \(error.explanation)", underlying: error)
        }
    }
}
