public import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// A failure to get a response.
///
/// `description` contains no secrets: secret query values are redacted, and header fields are not shown.
public struct TransportError: ValueFreeError {
    /// Why TLS failed.
    @nonexhaustive public enum TLSFailure: Hashable, Sendable {
        /// The certificate is self-signed, or its authority is not trusted on this machine.
        case untrustedCertificate
        /// The certificate is for another host.
        case hostMismatch
        /// The certificate has expired or is not yet valid.
        case expiredCertificate
        /// No common version or cipher, or the connection closed during the handshake.
        case handshake
    }

    /// The request of a call that has failed, if a layer has sent another one for it.
    ///
    /// A layer may send a request to another host, with a key in its URL, or to the target of a redirect.
    /// ``TransportError/request`` is the one that was sent last; layers outside know only the one that they have passed
    /// on.
    package enum OriginalRequest: Hashable, Sendable {
        /// The request with this description, whichever host it was sent to.
        case described(String)
        /// None that the layers outside have passed on: the request to a redirect's target has failed.
        case redirected
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
    /// The length of that timeout, as it was set; nil if the engine does not know it.
    public var timeout: Duration?
    /// Why TLS failed, when the code is `tls`.
    public var tlsFailure: TLSFailure?
    /// The response head, if it arrived before the failure.
    public var head: HTTPResponseHead?
    /// The first bytes of the response body received before the failure, at most 1 KiB.
    public var bodyPrefix: Data
    /// The engine's error.
    public var underlying: (any Error)?
    /// All attempts of a retried request or an interrupted download or upload, oldest first; else empty.
    public var attempts: [AttemptRecord] = []
    /// True for a request of another call, such as a login, whose own layers decide about retries: no layer retries
    /// because of it, or the attempts of both would multiply.
    package var isExhausted = false
    /// Set by a layer that sends other requests for a call. Nil without one: ``request`` is that of the call.
    package var originalRequest: OriginalRequest?
    /// True for a timeout because of a limit of the bandwidth: it says nothing about the server.
    package var isByOwnLimit = false
    /// The measurements of the failed transfer; nil if the request did not reach the network.
    public var metrics: TransferMetrics?

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

extension TransportError: StatusCarrying {
    /// The status of the response that came before the failure, or nil.
    package var responseStatus: HTTPStatus? { head?.status }
}

extension ErrorCode where Failure == TransportError {
    /// The host refused the connection: no server listens on that port.
    public static var connectionRefused: Self { Self(1) }
    /// DNS has no address for the host name.
    public static var hostNotFound: Self { Self(2) }
    /// There is no route to the host, or no network.
    public static var unreachable: Self { Self(3) }
    /// A timeout expired; ``TransportError/phase`` tells which one.
    public static var timedOut: Self { Self(4) }
    /// The connection was lost, or the server closed it without a response.
    public static var connectionLost: Self { Self(5) }
    /// The connection closed before the end of the body.
    public static var truncated: Self { Self(6) }
    /// The response is not valid HTTP, or not a version that the engine reads.
    public static var malformedResponse: Self { Self(7) }
    /// The content coding of the body could not be decoded.
    public static var undecodableContent: Self { Self(8) }
    /// The response body is larger than the request allows.
    public static var responseTooLarge: Self { Self(9) }
    /// TLS failed; ``TransportError/tlsFailure`` tells why, if known.
    public static var tls: Self { Self(10) }
    /// The proxy was unreachable, refused the request or closed the connection. On Linux, environment variables
    /// set the proxy.
    public static var proxy: Self { Self(11) }
    /// The request was cancelled.
    public static var cancelled: Self { Self(12) }
    /// The request body could not be read to its end.
    public static var unreadableBody: Self { Self(13) }
    /// A temporary file could not be written: the disk is full, or the folder is missing or read-only.
    ///
    /// The file holds a streamed request body before it is sent, or the unread part of a streamed response.
    public static var temporaryStorage: Self { Self(14) }
    /// The request has a header field that the transport sets itself.
    public static var reservedField: Self { Self(15) }
    /// A redirect loop, or more redirects than the policy allows.
    public static var tooManyRedirects: Self { Self(16) }
    /// The redirect target is not allowed or not valid, or the redirect needs a body that cannot be sent again.
    public static var redirectRefused: Self { Self(17) }
    /// This platform or engine does not support the request.
    public static var unsupported: Self { Self(19) }
    /// An engine failure of unknown cause; see ``TransportError/underlying``.
    public static var unknown: Self { Self(20) }
}

extension TransportError {
    /// The `timedOut` error of a phase, with the length of the timeout that the request sets for it.
    /// - Parameter head: the response head, if it has arrived.
    public static func timedOut(
        _ phase: Timeouts.Phase, _ message: String, request: HTTPRequest, head: HTTPResponseHead? = nil
    ) -> TransportError {
        var error = TransportError(.timedOut, message, request: request, phase: phase, head: head)
        error.timeout = request.options.timeouts[phase]
        return error
    }

    /// The `cancelled` error, with one text for all transports and layers.
    /// - Parameter head: the response head, if it has arrived.
    public static func cancelled(_ request: HTTPRequest, head: HTTPResponseHead? = nil) -> TransportError {
        TransportError(.cancelled, "The call was cancelled.", request: request, head: head)
    }
}
