public import Foundation
public import HTTPMessages

/// Why a request brought no response.
///
/// `description` holds no secrets: the URL's secret query values are left out and fields are not shown.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        /// The code's name, as it is written in Swift.
        public var description: String { name }

        /// Nobody listens at that host and port.
        public static let connectionRefused = Code("connectionRefused")
        /// The host's name has no address.
        public static let hostNotFound = Code("hostNotFound")
        /// There is no way to the host, or no network.
        public static let unreachable = Code("unreachable")
        /// A deadline passed; ``TransportError/phase`` says which.
        public static let timedOut = Code("timedOut")
        /// The connection broke, or the server closed it without an answer.
        public static let connectionLost = Code("connectionLost")
        /// The connection ended before the body did.
        public static let truncated = Code("truncated")
        /// What came back is not HTTP, or not HTTP that the engine reads.
        public static let malformedResponse = Code("malformedResponse")
        /// The body's content coding could not be undone.
        public static let undecodableContent = Code("undecodableContent")
        /// The response's body is larger than the request allows.
        public static let responseTooLarge = Code("responseTooLarge")
        /// TLS failed; ``TransportError/tlsFailure`` says why, where that is known.
        public static let tls = Code("tls")
        /// The proxy refused or broke the connection.
        public static let proxy = Code("proxy")
        /// The call was cancelled.
        public static let cancelled = Code("cancelled")
        /// The request's body could not be read to its end.
        public static let unreadableBody = Code("unreadableBody")
        /// The machine's disk could not hold for a while what a slow reader had not taken yet.
        public static let temporaryStorage = Code("temporaryStorage")
        /// The request names a field that is the transport's own.
        public static let reservedField = Code("reservedField")
        /// A redirect leads in a circle, or is one more than the policy allows.
        public static let tooManyRedirects = Code("tooManyRedirects")
        /// A redirect leads nowhere that may be gone to, or needs a body that cannot be sent again.
        public static let redirectRefused = Code("redirectRefused")
        /// The origin has failed too often of late, so the request was not sent; ``TransportError/retryAfter`` says how
        /// long that lasts.
        public static let circuitOpen = Code("circuitOpen")
        /// This platform or this engine cannot do what was asked for.
        public static let unsupported = Code("unsupported")
        /// The engine failed and does not say why; see ``TransportError/underlying``.
        public static let unknown = Code("unknown")
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
    /// The method and URL without secrets, or nil when there was no request yet.
    public let request: String?
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
        self.request = request?.description
        self.phase = phase
        self.tlsFailure = tlsFailure
        self.head = head
        self.bodyPrefix = Data(bodyPrefix.prefix(1024))
        self.underlying = underlying
        self.retryAfter = retryAfter
    }

    /// The request, the message and the code, and what went before when there was more than one attempt.
    public var description: String {
        let text = "\(request.map { "\($0): " } ?? "")\(message) [\(code)]"
        guard attempts.count > 1 else { return text }
        return "\(text) after \(attempts.count) attempts: \(attempts.map(\.description).joined(separator: "; "))"
    }
}

extension TransportError: CustomReflectable {
    /// Shows the parts, without secrets and without the body.
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
