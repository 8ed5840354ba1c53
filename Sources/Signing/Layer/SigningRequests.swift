import Coordination
import Foundation
public import HTTPMessages
public import Transport

/// A layer that signs each request as it is sent.
///
/// ```swift
/// let transport = URLSessionTransport.shared
///     .signing(.httpMessageSignature(key, components: [.method, .targetURI, .contentDigest]))
///     .redirecting().retrying(.standard)
/// ```
///
/// It is the innermost layer: then a signature covers what every other layer has written, and each attempt and each
/// redirect has a signature of its own. Where redirects left the origin of the call, nothing is signed, unless the
/// allowed origins name that origin.
///
/// When a server refuses a signature and its `Date` shows a wrong local clock, the layer signs the request again at the
/// server's time and sends it again, once, unless its body is a stream. Later signatures have the server's time. The
/// text of an error made of such a response says how far the clocks differ.
public struct SigningRequests<Base: Transport, Signer: RequestSigner>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// The signer.
    public let signer: Signer
    /// The only origins whose requests are signed; nil for all that a call begins with.
    public let origins: AllowedOrigins?
    private let clock: ServerClock

    /// Creates a layer over a transport.
    /// - Parameters:
    ///   - origins: the only origins whose requests are signed; nil signs every request that no redirect has led to
    ///     another origin.
    ///   - clock: the time of the signatures, which follows the server's.
    public init(base: Base, signer: Signer, at origins: AllowedOrigins? = nil, clock: ServerClock = ServerClock()) {
        self.base = base
        self.signer = signer
        self.origins = origins
        self.clock = clock
    }

    /// The difference of the clocks, in seconds, beyond which it may be the reason of a refusal.
    private static var tolerance: TimeInterval { 30 }

    /// Signs a request and sends it.
    /// - Throws: the errors of the signer and of the base; ``SigningError`` (`digestMismatch`, `missingDigest`) as
    ///   ``HTTPMessages/RequestOptions/contentDigestCheck`` says.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let response = try await sendSigned(request) { try await base.send($0, observer: observer) }
        if request.options.contentDigestCheck != .ignored {
            try response.verifyContentDigest(isRequired: request.options.contentDigestCheck == .required)
        }
        return response
    }

    private func sendSigned<Response: HTTPResponseProtocol>(
        _ request: HTTPRequest, _ send: (HTTPRequest) async throws -> Response
    ) async throws -> Response {
        var request = request
        if request.options.contentDigestCheck != .ignored, !request.fields.contains(.acceptEncoding) {
            try request.fields.set(.acceptEncoding, to: "identity")
        }
        guard origins?.contains(request) ?? !request.options.hasLeftOrigin else { return try await send(request) }
        var response = try await send(signed(request))
        guard let skew = skew(of: response.head) else { return response }
        clock.synchronize(with: response.head)
        if request.body.isReplayable {
            let monotonic = AnyMonotonicClock(ContinuousClock())
            await response.discard(until: monotonic.now + .seconds(1), on: monotonic)
            var attempt = request
            attempt.options.attemptReason = .clockSkew
            response = try await send(signed(attempt))
            guard signer.refusals.contains(response.head.status) else { return response }
        }
        let direction = skew > 0 ? "ahead of" : "behind"
        response.head.notes.append(
            "the server's clock is \(Int64(abs(skew))) seconds \(direction) the local one; signatures have its time now"
        )
        return response
    }

    private func signed(_ request: HTTPRequest) async throws -> HTTPRequest {
        var request = request
        try await signer.sign(&request, at: clock.now)
        return request
    }

    /// The seconds by which the server's clock is ahead, if that may be the reason of the refusal.
    private func skew(of head: HTTPResponseHead) -> TimeInterval? {
        guard signer.refusals.contains(head.status),
            let time = head.fields[.date].flatMap({ HTTPDate(parsing: $0)?.date })
        else { return nil }
        let skew = time.timeIntervalSince(clock.now)
        return abs(skew) > Self.tolerance ? skew : nil
    }
}

extension SigningRequests: StreamingTransport where Base: StreamingTransport {
    /// Signs a request, sends it and streams the response; a digest is checked at the end of the body.
    /// - Throws: as ``send(_:observer:)``, before the head arrives.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let response = try await sendSigned(request) { try await base.stream($0, observer: observer) }
        let check = request.options.contentDigestCheck
        guard check != .ignored,
            let running = try ContentDigestCheck.Running(response.head, isRequired: check == .required)
        else { return response }
        return HTTPResponseStream(
            head: response.head, body: DigestCheckedBody(base: response.body, check: running))
    }
}

extension AttemptReason {
    /// The server refused the time of the signature before.
    public static let clockSkew = AttemptReason("clock-skew")
}

extension Transport {
    /// Signs each request as it is sent; the innermost layer.
    ///
    /// `Documentation/Layers.md` says which layer goes where, and why.
    /// - Parameters:
    ///   - signer: `.httpMessageSignature(...)`, `.awsV4(...)`, or your own.
    ///   - origins: the only origins whose requests are signed; nil signs every request that no redirect has led to
    ///     another origin.
    ///   - clock: the time of the signatures, which follows the server's.
    public func signing<Signer: RequestSigner>(
        _ signer: Signer, at origins: AllowedOrigins? = nil, clock: ServerClock = ServerClock()
    ) -> SigningRequests<Self, Signer> {
        SigningRequests(base: self, signer: signer, at: origins, clock: clock)
    }
}
