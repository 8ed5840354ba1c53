public import Foundation
public import HTTPMessages
public import RequestModel
public import Transport

extension APIClient {
    /// Downloads a response to a file.
    ///
    /// The file appears at its place when it is complete. With the default options an interrupted download goes on by
    /// itself, and the next call continues one that failed; see `StreamingTransport.download`.
    /// - Parameters:
    ///   - file: the URL of the file, in an existing folder.
    ///   - timeout: for all requests of the download; nil means the client's.
    ///   - progress: called as ``/Transport/ProgressObserver`` says; resumed bytes count as received, those of an error
    ///     do not.
    /// - Throws: ``ServerError``, or what ``errors`` makes, for a status that is not accepted; `ResponseDecodingError`
    ///   for a media type that is not; `DownloadError`; `TransportError` and the errors of layers. An existing file is
    ///   unchanged then.
    @discardableResult
    public func download(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], to file: URL,
        options: DownloadOptions = .retrying, timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> DownloadedFile {
        let endpoint = EndpointRequest<Void>.get(path, query: query, fields: fields, timeout: timeout)
        return try await CheckedTransport(client: self).download(
            request(for: endpoint), to: file, options: options, observer: progress.map(ProgressObserver.init), on: clock
        )
    }

    /// Uploads a file, streamed from disk, and decodes the response.
    /// - Parameters:
    ///   - method: default `PUT`.
    ///   - progress: called with the progress of both directions, as ``/Transport/ProgressObserver`` says.
    /// - Throws: as `send(_:observer:)`; `HTTPMessageError` (`unreadableFile`).
    public func upload<Value: Decodable>(
        _ file: URL, to path: RequestPath, method: HTTPMethod = .put, mediaType: MediaType = .octetStream,
        query: Query = [:], fields: HTTPFields = [:], timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(
                method, path, query: query, fields: fields, body: .file(at: file, mediaType: mediaType),
                timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Uploads a file, streamed from disk; the response has the bytes of the body.
    @discardableResult
    public func upload(
        _ file: URL, to path: RequestPath, method: HTTPMethod = .put, mediaType: MediaType = .octetStream,
        query: Query = [:], fields: HTTPFields = [:], timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(
                method, path, query: query, fields: fields, body: .file(at: file, mediaType: mediaType),
                timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }
}

/// The transport of a client's downloads: a response that the client does not accept is an error before it is written.
private struct CheckedTransport: StreamingTransport {
    let client: APIClient

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await client.transport.send(request, observer: observer)
    }

    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        // A part of the file, and one that the server does not have, are for the download to judge: a part has no
        // fields that the client knows, such as `Content-Type` (RFC 9110, section 15.3.7).
        let isContinued = request.fields.contains(.ifRange)
        return try await client.stream(
            request, accepting: isContinued ? [.partialContent, .rangeNotSatisfiable] : [], observer: observer)
    }
}
