import Authentication
import Foundation
import HTTPMessages
@_exported public import PatchbayErrors
import ResponseDecoding
import Transport

/// The domain of all errors of this module: `WLClientErrorDomain`.
public let WLClientErrorDomain = "WLClientErrorDomain"  // swift-format-ignore: AlwaysUseLowerCamelCase

/// The error of a failed call.
///
/// As an `NSError` it has the vendor's domain ``WLClientErrorDomain`` and one of the vendor's numbers 1 to 5. ``code``
/// is finer, and ``vendorCode`` is the text that the vendor's Android and JavaScript SDKs use.
public struct WLError: PatchbayError {
    /// The error code.
    public let code: Code
    /// What is wrong and what to do, for developers.
    public let message: String
    /// The response, if one was received.
    public let response: WLResponse?
    /// The cause, such as a `TransportError`.
    public let underlying: (any Error)?
    /// True if ``response`` is the one to the request itself, with an unexpected status.
    let isUnexpectedStatus: Bool

    init(
        _ code: Code, _ message: String, response: WLResponse? = nil, underlying: (any Error)? = nil,
        isUnexpectedStatus: Bool = false
    ) {
        self.code = code
        self.message = message
        self.response = response
        self.underlying = underlying
        self.isUnexpectedStatus = isUnexpectedStatus
    }

    /// The vendor's text for the code, such as `CHALLENGE_HANDLING_CANCELED`.
    public var vendorCode: String { Self.vendorCodes[code] ?? "UNEXPECTED_ERROR" }

    private static let vendorCodes: [Code: String] = [
        .invalidRequest: "ILLEGAL_ARGUMENT_EXCEPTION", .configuration: "API_INVOCATION_FAILURE",
        .unknownBackendService: "API_INVOCATION_FAILURE", .unresponsiveHost: "UNRESPONSIVE_HOST",
        .requestTimeout: "REQUEST_TIMEOUT", .status: "SERVER_ERROR", .responseTooLarge: "SERVER_ERROR",
        .procedure: "PROCEDURE_ERROR", .authorization: "AUTHORIZATION_FAILURE",
        .alreadyInProgress: "AUTHORIZATION_FAILURE",
        .challengeCancelled: "CHALLENGE_HANDLING_CANCELED", .missingChallengeHandler: "MISSING_CHALLENGE_HANDLER",
        .notRegistered: "AUTHORIZATION_FAILURE", .invalidClientID: "INVALID_CLIENT_ID",
    ]
}

extension WLResponse {
    /// A response without its body; nil without a response.
    fileprivate convenience init?(_ head: HTTPResponseHead?) {
        guard let head else { return nil }
        self.init(HTTPResponse(head: head, body: Data()))
    }
}

extension ResponseDecodingError {
    /// The message, without the excerpt of the body that it may have.
    var messageWithoutBody: String {
        switch code {
        case .unacceptableStatus: "\(status)"
        case .invalidJSON where byteOffset == nil: "Expected JSON."
        default: message
        }
    }
}

extension ErrorCode where Failure == WLError {
    /// An unexpected failure; see ``WLError/underlying``.
    public static var internalError: Self { Self(1) }
    /// Invalid URL, method, header, parameter, body or timeout; nothing was sent.
    public static var invalidRequest: Self { Self(1) }
    /// The client's configuration is missing or invalid, such as the server's URL or a pinned certificate.
    public static var configuration: Self { Self(1) }
    /// No URL is configured for the `backendServiceName` of a request.
    public static var unknownBackendService: Self { Self(1) }
    /// The call was cancelled.
    public static var cancelled: Self { Self(1) }
    /// The response body cannot be decoded.
    public static var parse: Self { Self(1) }
    /// The file of an upload or a download, or a temporary file, cannot be read or written.
    public static var file: Self { Self(1) }
    /// No response was received.
    public static var unresponsiveHost: Self { Self(2) }
    /// A timeout expired.
    public static var requestTimeout: Self { Self(3) }
    /// The status is not 2xx, a redirect was refused, or a response of the authorization server is malformed.
    public static var status: Self { Self(4) }
    /// The response body is longer than ``WLConfiguration/maximumResponseBytes``, or than 1 MiB from the authorization
    /// server.
    public static var responseTooLarge: Self { Self(4) }
    /// A procedure of a JavaScript adapter reported a failure.
    public static var procedure: Self { Self(4) }
    /// The server refused a token, a login or a logout.
    public static var authorization: Self { Self(5) }
    /// A login or logout was refused, because another authorization is in progress; or a challenge handler called a
    /// protected resource before it met its challenge.
    public static var alreadyInProgress: Self { Self(5) }
    /// A challenge handler cancelled the challenge.
    public static var challengeCancelled: Self { Self(5) }
    /// The server sent a challenge for which no handler is registered.
    public static var missingChallengeHandler: Self { Self(5) }
    /// A logout before the app was registered with the server.
    public static var notRegistered: Self { Self(5) }
    /// The server does not know the client ID, also after a new registration.
    public static var invalidClientID: Self { Self(5) }
}

extension WLError {
    /// ``WLClientErrorDomain``.
    public static var errorDomain: String { WLClientErrorDomain }
    /// The redacted URL of the response or of the request.
    public var failingURL: String? {
        response?.httpResponse.map { Redaction.standard.redacted($0.url) }
            ?? (underlying as? any PatchbayError)?
            .failingURL
    }

    /// Maps an error of the layers below.
    init(_ error: any Error) {
        switch error {
        case let error as WLError:
            self = error
        case let error as TransportError:
            self.init(error)
        case let error as HTTPMessageError:
            self.init(.invalidRequest, error.message, underlying: error)
        case let error as JSONError:
            self.init(.invalidRequest, error.message, underlying: error)
        case let error as AuthenticationError:
            let code: Code =
                switch error.code {
                case .invalidTokenResponse: .status
                case .refused where !error.refusesGrant: .status
                case .insecureEndpoint, .invalidKey, .signing, .tokenStore: .configuration
                default: .authorization
                }
            // Without the body, which may have a token.
            self.init(code, error.message, response: WLResponse(error.head), underlying: error)
        case let error as DownloadError:
            let code: Code =
                switch error.subject {
                case .response: .status
                case .request: .invalidRequest
                case .transfer: .internalError
                case .file: .file
                }
            self.init(code, error.message, underlying: error)
        case let error as ResponseDecodingError:
            self.init(.parse, error.messageWithoutBody, underlying: error)
        case is CancellationError:
            self.init(.cancelled, "The call was cancelled.", underlying: error)
        case let error as any ValueFreeError:
            self.init(.internalError, error.message, underlying: error)
        default:
            self.init(.internalError, "Unexpected error in the transport; see the underlying error.", underlying: error)
        }
    }

    private init(_ error: TransportError) {
        switch error.code {
        case .cancelled: self.init(.cancelled, "The call was cancelled.", underlying: error)
        case .timedOut: self.init(.requestTimeout, error.explanation, underlying: error)
        case .reservedField, .unreadableBody: self.init(.invalidRequest, error.message, underlying: error)
        case .unsupported: self.init(.configuration, error.message, underlying: error)
        case .responseTooLarge:
            self.init(.responseTooLarge, error.message, response: WLResponse(error.head), underlying: error)
        case .tooManyRedirects, .redirectRefused:
            self.init(.status, error.explanation, response: WLResponse(error.head), underlying: error)
        case .undecodableContent: self.init(.parse, error.explanation, underlying: error)
        case .temporaryStorage: self.init(.file, error.message, underlying: error)
        default: self.init(.unresponsiveHost, error.explanation, underlying: error)
        }
    }

    /// The error of a call that a challenge handler makes before it meets its challenge, which waits for it.
    static func calledByHandler(_ name: String? = nil) -> WLError {
        WLError(
            .alreadyInProgress,
            "AUTHORIZATION_FAILURE: \(name.map { "the handler of \($0)" } ?? "a challenge handler") made a call that "
                + "needs the challenge to be met; submit the credential or cancel first.")
    }

    /// The error for a status other than 2xx.
    init(unexpected response: HTTPResponse, to request: HTTPRequest) {
        let isChallenge = !response.head.challenges.isEmpty
        let isRefusal = isChallenge && (response.status == .unauthorized || response.status == .forbidden)
        // The status and the URL only: a body may contain tokens or answers.
        self.init(
            isRefusal ? .authorization : .status, "\(request): \(response.status)", response: WLResponse(response),
            isUnexpectedStatus: true)
    }
}
