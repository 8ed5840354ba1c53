import Foundation
import HTTPMessages
@_exported public import PatchbayErrors
import ResponseDecoding
import Transport

/// Why a call failed.
///
/// As an `NSError` its domain is ``errorDomain``, and its code is the HTTP status where the server refused, else a
/// negative number. For a failure of the network, `NSUnderlyingErrorKey` holds an error of `NSURLErrorDomain`.
public struct AKError: PatchbayError {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// There is no usable base URL; call `AKServerAgent.initialize` first.
        public static let configuration = Code(name: "configuration", number: -1)
        /// The request cannot be sent as it is: a URL, header, body or timeout is at fault.
        public static let invalidRequest = Code(name: "invalidRequest", number: -2)
        /// No response came; ``AKError/underlying`` says why.
        public static let transport = Code(name: "transport", number: -3)
        /// The server responded with a status of 300 or more.
        public static let status = Code(name: "status", number: -4)
        /// The body is not what was asked for.
        public static let parse = Code(name: "parse", number: -5)
        /// The call was cancelled.
        public static let cancelled = Code(name: "cancelled", number: -6)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong and what to do about it, for a developer. A status error has the request, the status, and the
    /// server's own text or the start of the body.
    public let message: String
    /// The response, when one came. On Android its status and reason made the error.
    public let response: AKHTTPResponse?
    /// The server's own error, when the response has one.
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

    /// The HTTP status, when a response came.
    public var statusCode: Int? { response?.statusCode }

    /// The domain as an `NSError`.
    public static let errorDomain = "AKErrorDomain"

    static let notInitialized = AKError(
        .configuration, "No base URL is set; call AKServerAgent.initialize before the first call.")
}

extension AKError {
    /// What kept a request from being made; an error of the program's own comes from its body or its subclass.
    init(unsendable error: any Error) {
        switch error {
        case is AKError, is HTTPMessageError, is TransportError, is CancellationError: self.init(error)
        default:
            self.init(
                .invalidRequest, "The request could not be made; the underlying error says why.", underlying: error)
        }
    }

    /// What kept a response from being read; an error of the program's own comes from its decoder.
    init(unreadable error: any Error, response: AKHTTPResponse) {
        let reason = (error as? ResponseDecodingError).map(\.description) ?? "The underlying error says why."
        self =
            (error as? AKError)
            ?? AKError(.parse, "The response cannot be read. \(reason)", response: response, underlying: error)
    }

    /// Any other error, as one of Akula's.
    init(_ error: any Error) {
        switch error {
        case let error as AKError:
            self = error
        case let error as TransportError where error.code == .cancelled:
            self.init(.cancelled, "The call was cancelled.", underlying: error)
        case let error as TransportError where error.code == .reservedField || error.code == .unreadableBody:
            self.init(.invalidRequest, error.message, underlying: error)
        case let error as TransportError:
            let request = error.request.map { "\($0): " } ?? ""
            self.init(.transport, request + error.message, underlying: error)
        case let error as HTTPMessageError:
            self.init(.invalidRequest, error.message, underlying: error)
        case is CancellationError:
            self.init(.cancelled, "The call was cancelled.", underlying: error)
        default:
            self.init(.transport, "The call failed below Akula; the underlying error says why.", underlying: error)
        }
    }
}

extension AKError {
    /// The HTTP status where the server refused, else a negative number.
    public var errorCode: Int { code == .status ? statusCode ?? code.number : code.number }
    /// The URL of the response or the request, without secrets.
    public var failingURL: String? {
        response.map { Redaction.standard.text(of: $0.httpResponse.url) }
            ?? (underlying as? any PatchbayError)?.failingURL
    }
    /// The description, the failing URL and the underlying error. For a failure of the network the latter is an error of
    /// `NSURLErrorDomain` with the code that `URLSession` has for it on Apple's platforms.
    public var errorUserInfo: [String: Any] {
        let cause = underlying?.redactedNSError
        guard (underlying as? TransportError)?.urlErrorCode != nil else { return userInfo(underlying: cause) }
        return userInfo(underlying: cause?.userInfo[NSUnderlyingErrorKey] as? NSError)
    }
}
