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
    ///   - progress: called with the progress; resumed bytes count as received.
    /// - Throws: ``ServerError``, or what ``errors`` makes, for a status that is not 2xx; `DownloadError`;
    ///   `TransportError` and the errors of layers.
    @discardableResult
    public func download(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:], to file: URL,
        options: DownloadOptions = .retrying, timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> DownloadedFile {
        let endpoint = EndpointRequest<Void>.get(path, query: query, fields: fields, timeout: timeout)
        let request = try request(for: endpoint)
        do {
            return try await transport.download(
                request, to: file, options: options, observer: progress.map(ProgressObserver.init), on: clock)
        } catch let error as DownloadError where error.code == .unacceptableStatus {
            guard let head = error.head else { throw error }
            throw errors.error(of: HTTPResponse(head: head, body: error.bodyPrefix.prefix(maximumErrorBytes)))
        }
    }

    /// Uploads a file, streamed from disk, and decodes the response.
    /// - Parameters:
    ///   - method: default `PUT`.
    ///   - progress: called with the progress of both directions.
    /// - Throws: as ``send(_:observer:)``; `HTTPMessageError` (`unreadableFile`).
    public func upload<Value: Decodable & Sendable>(
        _ file: URL, to path: RequestPath, method: HTTPMethod = .put, mediaType: MediaType = .octetStream,
        fields: KeyValuePairs<String, String> = [:], progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(method, path, fields: fields, body: .file(at: file, mediaType: mediaType)),
            observer: progress.map(ProgressObserver.init))
    }

    /// Uploads a file, streamed from disk; the response has the bytes of the body.
    @discardableResult
    public func upload(
        _ file: URL, to path: RequestPath, method: HTTPMethod = .put, mediaType: MediaType = .octetStream,
        fields: KeyValuePairs<String, String> = [:], progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(method, path, fields: fields, body: .file(at: file, mediaType: mediaType)),
            observer: progress.map(ProgressObserver.init))
    }
}
