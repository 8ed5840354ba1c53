import Foundation
import HTTPMessages
@_exported public import PatchbayErrors
import ResponseDecoding
import Transport

/// Why a call failed.
///
/// As an `NSError` its domain is ``errorDomain``, and its code is the HTTP status where the server refused, else a
/// negative number.
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
        /// The server answered with a status of 300 or more.
        public static let status = Code(name: "status", number: -4)
        /// The body is not what was asked for.
        public static let parse = Code(name: "parse", number: -5)
        /// The call was cancelled.
        public static let cancelled = Code(name: "cancelled", number: -6)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened, for a developer.
    public let message: String
    /// The response, when one came. On Android its status and reason made the error.
    public let response: AKHTTPResponse?
    /// What the server says of the error, when the response holds an Akula error.
    public let serverError: AKServerError?
    /// What lies beneath, such as a `TransportError`.
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

    /// The message with the server's own words, and the code.
    public var description: String {
        let server = serverError.map { " (\($0))" } ?? ""
        return "\(message)\(server) [\(code)]"
    }

    /// The domain as an `NSError`.
    public static let errorDomain = "AKErrorDomain"

    static let notInitialized = AKError(
        .configuration, "There is no base URL yet; call AKServerAgent.initialize with one before the first call.")
}

extension AKError {
    /// The error of a response whose status is 300 or more.
    init(_ response: AKHTTPResponse) {
        self.init(.status, "The server answered \(response.status).", response: response)
    }

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
    /// The URL that answered, or that of the request, without secrets.
    public var failingURL: String? {
        response.map { Redaction.standard.text(of: $0.httpResponse.url) }
            ?? (underlying as? any PatchbayError)?.failingURL
    }
}
