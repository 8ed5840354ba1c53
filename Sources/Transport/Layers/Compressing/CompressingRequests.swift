public import HTTPMessages

/// A layer that compresses the bodies of requests to servers that accept it.
///
/// ```swift
/// let transport = URLSessionTransport.shared.compressingRequests()
/// ```
///
/// Nothing is compressed until a response of the origin has named its codings in `Accept-Encoding`. A compressed
/// request that fails with status 415 is sent again uncompressed, if its body can be read again. Bodies below 1 KiB, of
/// media types that are compressed already, and requests with `Content-Encoding`, `Content-Range` or `Content-Digest`
/// are sent as they are. Place this layer inside of retries and redirects, and outside of a layer that signs bodies.
public struct CompressingRequests<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// What servers accept; copies of this layer share it.
    public let codings: AcceptedCodings

    /// Creates a layer over a transport, with a new table by default.
    public init(base: Base, codings: AcceptedCodings = AcceptedCodings()) {
        self.base = base
        self.codings = codings
    }

    /// Sends a request, compressed if the server accepts that.
    /// - Throws: the base's errors; `SystemLibraryError` if compression fails.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await compress(request) { try await base.send($0, observer: observer) }
    }

    private func compress<Response: HTTPResponseProtocol>(
        _ request: HTTPRequest, _ send: (HTTPRequest) async throws -> Response
    ) async throws -> Response {
        guard let coding = codings.coding(for: request.url), request.canBeCompressed else {
            return try await learn(from: send(request))
        }
        var compressed = request
        try compressed.setBody(try coding.encode(request.body))
        try compressed.fields.append(.contentEncoding, coding.name)
        let response = try await send(compressed)
        guard response.head.status == .unsupportedMediaType else { return learn(from: response) }
        // The response may name what is accepted instead; else it is assumed that nothing is.
        codings.refuse(at: request.url)
        _ = learn(from: response)
        guard request.body.isReplayable else { return response }
        return try await learn(from: send(request))
    }

    private func learn<Response: HTTPResponseProtocol>(from response: Response) -> Response {
        codings.receive(response.head)
        return response
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

extension HTTPRequest {
    private static let minimumBytes: Int64 = 1024

    /// True for a body that compression may make smaller, and that no field of the request describes.
    fileprivate var canBeCompressed: Bool {
        guard !body.isEmpty, body.length.map({ $0 >= Self.minimumBytes }) ?? true,
            !fields.contains(.contentEncoding), !fields.contains(.contentRange),
            fields["Content-Digest"] == nil, fields["Digest"] == nil
        else { return false }
        guard let mediaType = fields[.contentType].flatMap({ MediaType(parsing: $0) }) else { return true }
        switch mediaType.type {
        case "image": return mediaType.subtype == "svg+xml" || mediaType.subtype == "bmp"
        case "audio", "video": return false
        default:
            return !["zip", "gzip", "zstd", "x-7z-compressed", "x-bzip2", "x-xz", "pdf", "vnd.rar"].contains(
                mediaType.subtype)
        }
    }
}
