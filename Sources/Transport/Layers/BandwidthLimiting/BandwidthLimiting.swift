public import HTTPMessages

/// Limits the bytes of bodies per second, in both directions, for all calls and for single ones.
///
/// ```swift
/// let transport = engine.limitingBandwidth(.bytesPerSecond(upload: 100_000, download: 500_000))
/// request.options.bandwidth.download = 50_000
/// ```
///
/// Request bodies are read, and response bodies are passed on, in pieces at the rate; calls take turns. The rest is
/// back-pressure: the engine reads from the connection only as fast as the body is read. An engine without it fails
/// with `unsupported`, before anything is sent: `URLSessionTransport` on Linux in both directions, on Apple's platforms
/// for request bodies.
///
/// Put it next to the network: below it, a limited request body can be sent only once.
public struct BandwidthLimiting<Base: StreamingTransport>: StreamingTransport {
    /// The transport that sends the requests.
    public let base: Base
    /// The limiter; several transports may share it.
    public let limiter: BandwidthLimiter
    /// True to fail over an engine that runs ahead of the limits.
    private let needsBackPressure: Bool

    /// A layer over a transport.
    public init(base: Base, limiter: BandwidthLimiter) {
        self.init(base: base, limiter: limiter, needsBackPressure: true)
    }

    /// - Parameter needsBackPressure: false to limit only how fast the bodies are read and passed on, over an engine
    ///   that collects them.
    package init(base: Base, limiter: BandwidthLimiter, needsBackPressure: Bool) {
        self.base = base
        self.limiter = limiter
        self.needsBackPressure = needsBackPressure
    }

    /// Sends a request, and collects its response at the limited rate.
    /// - Throws: errors of the base; `TransportError` (`unsupported`; `timedOut` at once if the rest of the total
    ///   timeout is too short for the next piece).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let pace = Pace(request, limiter)
        guard pace.limits(.download) else {
            do {
                let isUnlimited = !pace.limits(.upload)
                let response = try await base.send(try limited(request, pace), observer: observer)
                if isUnlimited { count(request, pace) }
                pace.count(response.body.count)
                return response
            } catch {
                throw PaceFailure.unwrapped(error)
            }
        }
        let response = try await stream(request, pace, observer)
        let limit = request.options.maximumResponseBytes
        // A body that is declared to be too long need not be read slowly first.
        let hasBody = request.method != .head && !response.status.hasNoContent
        if hasBody, let length = response.head.deliveredLength(by: .current), length > Int64(limit) {
            throw TransportError.responseTooLarge(limit: limit, request: request, head: response.head)
        }
        return try await response.collect(upTo: limit)
    }

    /// Sends a request, and streams its response at the limited rate.
    /// - Throws: as ``send(_:observer:)``, until the head has arrived.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await stream(request, Pace(request, limiter), observer)
    }

    private func stream(
        _ request: HTTPRequest, _ pace: Pace, _ observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        do {
            let isUnlimited = !pace.limits(.upload)
            let response = try await base.stream(try limited(request, pace), observer: observer)
            if isUnlimited { count(request, pace) }
            return HTTPResponseStream(
                head: response.head, body: PacedBody(response.body, .download, pace, head: response.head))
        } catch {
            throw PaceFailure.unwrapped(error)
        }
    }

    /// The request with a paced body, if that is limited.
    private func limited(_ request: HTTPRequest, _ pace: Pace) throws -> HTTPRequest {
        var request = request
        if needsBackPressure, pace.limits(.download) { request.options.pacedBodies.insert(.download) }
        guard pace.limits(.upload), request.body.length != 0 else { return request }
        if needsBackPressure { request.options.pacedBodies.insert(.upload) }
        let size = pace.limiters.compactMap { $0.pieceSize(.upload) }.min() ?? 64 << 10
        // Another layer of this kind may be above: the engine asks one hold for the waits of both.
        let hold = request.options.uploadHold ?? UploadHold()
        request.options.uploadHold = hold
        try request.setBody(
            .stream(
                PacedBody(request.body.chunks(of: size), .upload, pace, hold: hold), length: request.body.length))
        return request
    }

    /// Counts the bytes of a request body that was not limited when it was sent.
    private func count(_ request: HTTPRequest, _ pace: Pace) {
        guard let length = request.body.length, length > 0 else { return }
        pace.count(Int(clamping: length))
    }
}

extension StreamingTransport {
    /// Limits the bytes of bodies per second, of all requests together; `RequestOptions.bandwidth` limits single ones.
    public func limitingBandwidth(
        _ bandwidth: Bandwidth = .unlimited, clock: some Clock<Duration> = ContinuousClock()
    ) -> BandwidthLimiting<Self> {
        limitingBandwidth(by: BandwidthLimiter(bandwidth, clock: clock))
    }

    /// Limits the bytes of bodies per second, by a limiter that several transports may share.
    public func limitingBandwidth(by limiter: BandwidthLimiter) -> BandwidthLimiting<Self> {
        BandwidthLimiting(base: self, limiter: limiter)
    }
}
