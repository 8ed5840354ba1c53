import Coordination
public import HTTPMessages

/// A layer that compresses the bodies of requests to servers that accept it.
///
/// ```swift
/// let transport = URLSessionTransport.shared.compressingRequests()
/// ```
///
/// Nothing is compressed until a response of the origin has named its codings in `Accept-Encoding`. A compressed
/// request that fails with status 415 is sent again uncompressed, if its body can be read again; the total timeout
/// applies to both requests together.
///
/// Sent as they are: bodies below 1 KiB and of media types that are compressed already; requests with
/// `Content-Encoding`, `Content-Range` or a field of a resumable upload; requests with a digest or a signature, told by
/// the name of a field (`Content-Digest`, `Signature`, `x-amz-content-sha256`) or a scheme of `Authorization` that may
/// sign bodies; requests that `unixSocketPath` or `nameOverrides` lead elsewhere; and requests whose
/// ``HTTPMessages/RequestOptions/allowsBodyCompression`` is false. Place this layer inside of retries and redirects,
/// and outside of a layer that signs bodies.
public struct CompressingRequests<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// What servers accept; copies of this layer share it.
    public let codings: AcceptedCodings
    private let clock: AnyMonotonicClock

    /// Creates a layer over a transport, with a new table by default.
    /// - Parameter clock: measures the total timeout.
    public init(
        base: Base, codings: AcceptedCodings = AcceptedCodings(), clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.base = base
        self.codings = codings
        self.clock = AnyMonotonicClock(clock)
    }

    /// Sends a request, compressed if the server accepts that.
    /// - Throws: the base's errors; `SystemLibraryError` if compression fails; `TransportError` (`timedOut`) with the
    ///   head of the refusal, if no time is left after it.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await compress(request) { try await base.send($0, observer: observer) }
    }

    private func compress<Response: HTTPResponseProtocol>(
        _ request: HTTPRequest, _ send: (HTTPRequest) async throws -> Response
    ) async throws -> Response {
        guard let coding = coding(for: request) else {
            let response = try await send(request)
            receive(response.head, for: request)
            return response
        }
        let started = clock.now
        var request = request
        let call = request.options.openCall()
        defer { call.close() }
        var compressed = request
        try compressed.setBody(try coding.encode(request.body))
        try compressed.fields.append(.contentEncoding, coding.name)
        let refusal: HTTPResponseHead
        do {
            let response = try await send(compressed)
            guard mustSendAgain(request, after: response.head) else { return response }
            await response.discard(until: clock.now + .seconds(1), on: clock)
            refusal = response.head
        } catch let error as TransportError where error.code == .responseTooLarge {
            guard let head = error.head, mustSendAgain(request, after: head) else { throw error }
            refusal = head
        }
        let response = try await send(uncompressed(request, started: started, after: refusal))
        receive(response.head, for: request)
        return response
    }

    /// The coding for a request that can be compressed, and is sent to the origin of its URL.
    private func coding(for request: HTTPRequest) -> ContentCoding? {
        guard let coding = codings.coding(for: request.url), request.canBeCompressed, !request.isElsewhere else {
            return nil
        }
        return coding
    }

    /// Learns from a response of the origin of its URL.
    private func receive(_ head: HTTPResponseHead, for request: HTTPRequest) {
        guard head.fields.contains(.acceptEncoding) else { return }
        let options = request.options
        if !options.hasOwnDestination || !options.leadElsewhere(than: Origin(head.url)) { codings.receive(head) }
    }

    /// Learns from the response to a compressed request.
    /// - Returns: true if the coding is refused, and the body can be read again.
    private func mustSendAgain(_ request: HTTPRequest, after head: HTTPResponseHead) -> Bool {
        let isRefusal = head.status == .unsupportedMediaType
        // The response may name what is accepted instead; else it is assumed that nothing is.
        if isRefusal { codings.refuse(at: request.url) }
        receive(head, for: request)
        return isRefusal && request.body.isReplayable
    }

    /// The request to send after a refusal, with what is left of the total timeout.
    private func uncompressed(
        _ request: HTTPRequest, started: Duration, after head: HTTPResponseHead
    ) throws(TransportError) -> HTTPRequest {
        var next = request
        next.options.attemptReason = .uncompressed
        try next.reduceTotal(
            by: clock.now - started, of: "the request, compressed and then uncompressed,", after: head)
        return next
    }
}

extension CompressingRequests: StreamingTransport where Base: StreamingTransport {
    /// Sends a request, compressed if the server accepts that, and streams the response.
    /// - Throws: the base's errors before the head arrives; `SystemLibraryError` if compression fails.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await compress(request) { try await base.stream($0, observer: observer) }
    }
}
