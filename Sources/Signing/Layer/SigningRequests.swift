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
/// allowed origins name each origin to which they led.
///
/// When a server refuses a signature and its `Date` shows a wrong local clock, the layer signs the request again at the
/// server's time and sends it again, once, unless its body is a stream. Later signatures for that origin have its time.
/// The total timeout applies to both requests and their signatures together. A signer that waits is not interrupted.
/// The layer follows only a clock that is at most 25 hours off, over `https` or of this machine, in a response that no
/// cache has kept (`Age`): otherwise a server or a proxy could collect signatures that are valid in later years. The
/// text of an error made of such a response says how far the clocks differ.
public struct SigningRequests<Base: Transport, Signer: RequestSigner>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// The signer.
    public let signer: Signer
    /// The only origins whose requests are signed; nil for all that a call begins with.
    public let origins: AllowedOrigins?
    private let clocks: OriginClocks
    /// The client that signatures at `AllowedOrigins.baseURL` belong to.
    private let owner: BaseURLOwner
    /// Measures the total timeout.
    private let monotonic: AnyMonotonicClock

    /// Creates a layer over a transport.
    /// - Parameters:
    ///   - origins: the only origins whose requests are signed; nil signs every request that no redirect has led to
    ///     another origin.
    ///   - clock: the time of the signatures for an origin, until a refusal shows that of its server.
    public init(base: Base, signer: Signer, at origins: AllowedOrigins? = nil, clock: ServerClock = ServerClock()) {
        self.init(base: base, signer: signer, at: origins, clock: clock, owner: BaseURLOwner())
    }

    package init(
        base: Base, signer: Signer, at origins: AllowedOrigins?, clock: ServerClock, owner: BaseURLOwner,
        monotonic: some Clock<Duration> = ContinuousClock()
    ) {
        self.base = base
        self.signer = signer
        self.origins = origins
        self.owner = owner
        self.monotonic = AnyMonotonicClock(monotonic)
        clocks = OriginClocks(clock)
    }

    /// Signs a request and sends it.
    /// - Throws: the errors of the signer and of the base; ``SigningError`` (`digestMismatch`, `missingDigest`) as
    ///   ``HTTPMessages/RequestOptions/contentDigestCheck`` says.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let response = try await sendSigned(request) { try await base.send($0, observer: observer) }
        if request.options.contentDigestCheck != .ignored {
            try response.verifyContentDigest(isRequired: request.requiresDigest(of: response.head))
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
        let isSigned = origins?.allows(request, owner: owner) ?? !request.options.hasLeftOrigin
        guard isSigned else { return try await send(request) }
        let call = request.options.openCall()
        defer { call.close() }
        let started = monotonic.now
        // That of this attempt: another call may set the clock before the response arrives.
        let skew = clocks.skew(of: request.origin)
        var response = try await sendAttempt(request, skew, since: started, send)
        guard signer.refusals.contains(response.head.status),
            let difference = clocks.difference(of: response.head, skew: skew)
        else { return response }
        let isFollowed = clocks.follow(request.origin, from: skew, by: difference)
        if isFollowed, request.body.isReplayable {
            await response.discard(until: monotonic.now + .seconds(1), on: monotonic)
            var attempt = request
            attempt.options.attemptReason = .clockSkew
            response = try await sendAttempt(
                attempt, skew + difference, since: started, after: response.head, send)
            guard signer.refusals.contains(response.head.status) else { return response }
        }
        let direction = difference > 0 ? "ahead of" : "behind"
        response.head.notes.append(
            "the server's clock is \(Int64(abs(difference))) seconds \(direction) that of the signature; "
                + (isFollowed ? "signatures have its time now" : "it is not followed, so check the local one"))
        return response
    }

    private func sendAttempt<Response: HTTPResponseProtocol>(
        _ request: HTTPRequest, _ skew: TimeInterval, since started: Duration, after head: HTTPResponseHead? = nil,
        _ send: (HTTPRequest) async throws -> Response
    ) async throws -> Response {
        var signed = request
        try await signer.sign(&signed, at: clocks.now(skew: skew))
        do {
            // The signer may have waited for its credentials, or read a long body.
            try signed.reduceTotal(
                by: monotonic.now - started,
                of: head == nil ? "the signature" : "the request, signed at two times,", after: head)
            return try await send(signed)
        } catch {
            // A signature may be in the URL.
            throw signed.url == request.url ? error : error.ofRequest(request, sentAs: signed)
        }
    }
}

extension SigningRequests: BaseURLClaiming {
    package func claimBaseURL(_ origin: Origin) { if origins?.isBaseURL == true { owner.claim(origin) } }
}

extension SigningRequests: StreamingTransport where Base: StreamingTransport {
    /// Signs a request, sends it and streams the response; a digest is checked at the end of the body.
    /// - Throws: as ``send(_:observer:)``, before the head arrives.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        var response = try await sendSigned(request) { try await base.stream($0, observer: observer) }
        guard request.options.contentDigestCheck != .ignored,
            let running = try ContentDigestCheck.Running(
                response.head, isRequired: request.requiresDigest(of: response.head))
        else { return response }
        response.head.isCheckedAtEnd = true
        return HTTPResponseStream(
            head: response.head, body: DigestCheckedBody(base: response.body, check: running))
    }
}

extension HTTPRequest {
    /// False for a redirect, a challenge or another failure: a layer outside may send the request again.
    fileprivate func requiresDigest(of head: HTTPResponseHead) -> Bool {
        options.contentDigestCheck == .required && head.status.isSuccessful
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
    ///   - clock: the time of the signatures for an origin, until a refusal shows that of its server.
    public func signing<Signer: RequestSigner>(
        _ signer: Signer, at origins: AllowedOrigins? = nil, clock: ServerClock = ServerClock()
    ) -> SigningRequests<Self, Signer> {
        SigningRequests(base: self, signer: signer, at: origins, clock: clock)
    }
}
