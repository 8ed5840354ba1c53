public import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// Why a request brought no response.
///
/// `description` holds no secrets: the URL's secret query values are left out and fields are not shown.
public struct TransportError: PatchbayError {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The host refused the connection: no server listens on that port.
        public static let connectionRefused = Code(name: "connectionRefused", number: 1)
        /// The host name has no address.
        public static let hostNotFound = Code(name: "hostNotFound", number: 2)
        /// There is no route to the host, or no network.
        public static let unreachable = Code(name: "unreachable", number: 3)
        /// A deadline passed; ``TransportError/phase`` says which.
        public static let timedOut = Code(name: "timedOut", number: 4)
        /// The connection was lost, or the server closed it without a response.
        public static let connectionLost = Code(name: "connectionLost", number: 5)
        /// The connection ended before the body did.
        public static let truncated = Code(name: "truncated", number: 6)
        /// The response is not HTTP, or breaks its rules, or is not HTTP that the engine reads.
        public static let malformedResponse = Code(name: "malformedResponse", number: 7)
        /// The body could not be decoded from its content coding.
        public static let undecodableContent = Code(name: "undecodableContent", number: 8)
        /// The response body is larger than the request allows.
        public static let responseTooLarge = Code(name: "responseTooLarge", number: 9)
        /// TLS failed; ``TransportError/tlsFailure`` says why, where that is known.
        public static let tls = Code(name: "tls", number: 10)
        /// The proxy was not reached, refused the request or broke the connection. On Linux a proxy is set in the environment.
        public static let proxy = Code(name: "proxy", number: 11)
        /// The call was cancelled.
        public static let cancelled = Code(name: "cancelled", number: 12)
        /// The request body could not be read to its end.
        public static let unreadableBody = Code(name: "unreadableBody", number: 13)
        /// A temporary file could not be written: the disk is full, or the folder is missing or read-only. It holds a streamed
        /// request body before it is sent, or the part of a streamed response that is not read yet.
        public static let temporaryStorage = Code(name: "temporaryStorage", number: 14)
        /// The request has a header field that the transport sets itself.
        public static let reservedField = Code(name: "reservedField", number: 15)
        /// A redirect loops, or is one more than the policy allows.
        public static let tooManyRedirects = Code(name: "tooManyRedirects", number: 16)
        /// A redirect leads to a URL that no request can be sent to, or needs a body that cannot be sent again.
        public static let redirectRefused = Code(name: "redirectRefused", number: 17)
        /// The circuit of the origin is open after too many failures, so the request was not sent;
        /// ``TransportError/retryAfter`` tells for how long.
        public static let circuitOpen = Code(name: "circuitOpen", number: 18)
        /// This platform or this engine cannot do what was asked for.
        public static let unsupported = Code(name: "unsupported", number: 19)
        /// The engine failed and does not say why; see ``TransportError/underlying``.
        public static let unknown = Code(name: "unknown", number: 20)
    }

    /// Why TLS failed.
    public enum TLSFailure: Hashable, Sendable {
        /// The certificate is not from an authority that this machine trusts, or is self-signed.
        case untrustedCertificate
        /// The certificate is for another host.
        case hostMismatch
        /// The certificate has expired, or is not valid yet.
        case expiredCertificate
        /// Both sides could not agree on a version or a cipher, or the connection broke while they tried.
        case handshake
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened, for a developer.
    public let message: String
    /// The method and URL without secrets, from the request or the head of its response; nil when there was neither.
    public let request: String?
    /// The URL of the request or of its response without secrets; nil when there was neither.
    public let failingURL: String?
    /// The deadline that passed, when the code is `timedOut`.
    public var phase: Timeouts.Phase?
    /// Why TLS failed, when the code is `tls`.
    public var tlsFailure: TLSFailure?
    /// The head of the response, when it had come before the failure.
    public var head: HTTPResponseHead?
    /// The start of the response's body, at most 1 KiB, when some of it had come before the failure.
    public var bodyPrefix: Data
    /// The engine's own error.
    public var underlying: (any Error)?
    /// How long it makes no sense to try again, if whoever failed said so.
    public var retryAfter: Duration?
    /// Every attempt of a call that was repeated, oldest first. Empty where nothing repeats.
    public var attempts: [Attempt] = []

    /// Makes an error. `message` must not hold secrets.
    public init(
        _ code: Code, _ message: String, request: HTTPRequest? = nil, phase: Timeouts.Phase? = nil,
        tlsFailure: TLSFailure? = nil, head: HTTPResponseHead? = nil, bodyPrefix: Data = Data(),
        underlying: (any Error)? = nil, retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message
        self.request = request?.description ?? head?.requestText
        failingURL = request?.redactedURL ?? head.map { Redaction.standard.text(of: $0.url) }
        self.phase = phase
        self.tlsFailure = tlsFailure
        self.head = head
        self.bodyPrefix = Data(bodyPrefix.prefix(1024))
        self.underlying = underlying
        self.retryAfter = retryAfter
    }

    /// The request, the message, the number of attempts after retries, and the code.
    public var description: String { "\(explanation) [\(code)]" }
    /// ``description`` without the code, for facades with codes of their own.
    package var explanation: String {
        let text = request.map { "\($0): \(message)" } ?? message
        return attempts.count > 1 ? attempts.ending(text) : text
    }
}
