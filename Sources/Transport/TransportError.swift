public import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// A failure to get a response.
///
/// `description` contains no secrets: secret query values are redacted, and header fields are not shown.
public struct TransportError: PatchbayError {
    /// The kind of failure. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name of the static member.
        public let name: String
        /// The `NSError` code.
        public let number: Int

        /// The host refused the connection: no server listens on that port.
        public static let connectionRefused = Code(name: "connectionRefused", number: 1)
        /// DNS has no address for the host name.
        public static let hostNotFound = Code(name: "hostNotFound", number: 2)
        /// There is no route to the host, or no network.
        public static let unreachable = Code(name: "unreachable", number: 3)
        /// A timeout expired; ``TransportError/phase`` tells which one.
        public static let timedOut = Code(name: "timedOut", number: 4)
        /// The connection was lost, or the server closed it without a response.
        public static let connectionLost = Code(name: "connectionLost", number: 5)
        /// The connection closed before the end of the body.
        public static let truncated = Code(name: "truncated", number: 6)
        /// The response is not valid HTTP, or not a version that the engine reads.
        public static let malformedResponse = Code(name: "malformedResponse", number: 7)
        /// The content coding of the body could not be decoded.
        public static let undecodableContent = Code(name: "undecodableContent", number: 8)
        /// The response body is larger than the request allows.
        public static let responseTooLarge = Code(name: "responseTooLarge", number: 9)
        /// TLS failed; ``TransportError/tlsFailure`` tells why, if known.
        public static let tls = Code(name: "tls", number: 10)
        /// The proxy was unreachable, refused the request or closed the connection. On Linux, environment variables
        /// set the proxy.
        public static let proxy = Code(name: "proxy", number: 11)
        /// The request was cancelled.
        public static let cancelled = Code(name: "cancelled", number: 12)
        /// The request body could not be read to its end.
        public static let unreadableBody = Code(name: "unreadableBody", number: 13)
        /// A temporary file could not be written: the disk is full, or the folder is missing or read-only.
        ///
        /// The file holds a streamed request body before it is sent, or the unread part of a streamed response.
        public static let temporaryStorage = Code(name: "temporaryStorage", number: 14)
        /// The request has a header field that the transport sets itself.
        public static let reservedField = Code(name: "reservedField", number: 15)
        /// A redirect loop, or more redirects than the policy allows.
        public static let tooManyRedirects = Code(name: "tooManyRedirects", number: 16)
        /// The redirect target is not allowed or not valid, or the redirect needs a body that cannot be sent again.
        public static let redirectRefused = Code(name: "redirectRefused", number: 17)
        /// This platform or engine does not support the request.
        public static let unsupported = Code(name: "unsupported", number: 19)
        /// An engine failure of unknown cause; see ``TransportError/underlying``.
        public static let unknown = Code(name: "unknown", number: 20)
    }

    /// Why TLS failed.
    public enum TLSFailure: Hashable, Sendable {
        /// The certificate is self-signed, or its authority is not trusted on this machine.
        case untrustedCertificate
        /// The certificate is for another host.
        case hostMismatch
        /// The certificate has expired or is not yet valid.
        case expiredCertificate
        /// No common version or cipher, or the connection closed during the handshake.
        case handshake
    }

    /// The kind of failure.
    public let code: Code
    /// What happened, for a developer.
    public let message: String
    /// The method and redacted URL, from the request or the response head; nil without either.
    public let request: String?
    /// The redacted URL of the request or the response; nil without either.
    public let failingURL: String?
    /// The timeout that expired, when the code is `timedOut`.
    public var phase: Timeouts.Phase?
    /// Why TLS failed, when the code is `tls`.
    public var tlsFailure: TLSFailure?
    /// The response head, if it arrived before the failure.
    public var head: HTTPResponseHead?
    /// The first bytes of the response body received before the failure, at most 1 KiB.
    public var bodyPrefix: Data
    /// The engine's error.
    public var underlying: (any Error)?
    /// All attempts of a retried request, oldest first; empty without a retrying layer.
    public var attempts: [AttemptRecord] = []

    /// Creates an error. `message` must not contain secrets.
    public init(
        _ code: Code, _ message: String, request: HTTPRequest? = nil, phase: Timeouts.Phase? = nil,
        tlsFailure: TLSFailure? = nil, head: HTTPResponseHead? = nil, bodyPrefix: Data = Data(),
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.request = request?.description ?? head?.requestDescription
        failingURL = request?.redactedURL ?? head.map { Redaction.standard.redacted($0.url) }
        self.phase = phase
        self.tlsFailure = tlsFailure
        self.head = head
        self.bodyPrefix = Data(bodyPrefix.prefix(1024))
        self.underlying = underlying
    }

    /// The request, the message, the number of attempts if retried, and the code.
    public var description: String { "\(explanation) [\(code)]" }
    /// ``description`` without the code, for facades with their own codes.
    package var explanation: String {
        let text = request.map { "\($0): \(message)" } ?? message
        return attempts.count > 1 ? attempts.appendingSummary(to: text) : text
    }
}
