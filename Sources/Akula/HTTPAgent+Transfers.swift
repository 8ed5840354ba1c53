public import Foundation
public import HTTPMessages
import RequestModel
public import Transport

// Uploads, streams and downloads.

extension HTTPAgent {
    /// Sends a file as the body of a request, read from disk while it is sent.
    ///
    /// ```swift
    /// try await agent.upload(.put, "/photos/7", fromFile: photo, observer: progress)
    /// ```
    /// - Parameters:
    ///   - method: a method that allows a body, such as `.post` or `.put`.
    ///   - endpoint: an absolute URL for an `AKHTTPAgent`, a path for an `AKServerAgent`.
    ///   - file: replaces the body of the agent's and the call's data. Its type is `application/octet-stream`, unless a
    ///     header sets `Content-Type`.
    ///   - requestData: data of this call, merged with the agent's; default nil.
    ///   - options: timeouts and size limit; default those of ``AKHTTPRequestOptions``.
    ///   - observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``, also for a status of 300 or more. Cancelling the task cancels the call.
    @discardableResult
    public func upload(
        _ method: HTTPMethod, _ endpoint: String, fromFile file: URL, requestData: AKHTTPRequestData? = nil,
        options: AKHTTPRequestOptions? = nil, observer: (any TransferObserver)? = nil
    ) async throws(AKError) -> AKHTTPResponse {
        let body: RequestBody
        do {
            body = try .file(at: file)
        } catch {
            throw AKError(unsendable: error)
        }
        return try await call(method, endpoint, requestData, options, body: body).response(observer)
    }
}

extension HTTPAgent where Base: StreamingTransport {
    /// Sends a request and streams the body of its response.
    ///
    /// ```swift
    /// let response = try await agent.stream(.get, "/big")
    /// for try await chunk in response.body { count += chunk.count }
    /// ```
    /// Leaving the loop, or releasing the response, ends the call. An error of the body is an ``AKError`` too.
    /// - Parameters:
    ///   - method: the method.
    ///   - endpoint: an absolute URL for an `AKHTTPAgent`, a path for an `AKServerAgent`.
    ///   - requestData: data of this call, merged with the agent's; default nil.
    ///   - options: timeouts; default those of ``AKHTTPRequestOptions``. The size limit does not apply.
    ///   - observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``, also for a status of 300 or more, with the first 64 KiB of the body.
    public func stream(
        _ method: HTTPMethod, _ endpoint: String, requestData: AKHTTPRequestData? = nil,
        options: AKHTTPRequestOptions? = nil, observer: (any TransferObserver)? = nil
    ) async throws(AKError) -> HTTPResponseStream {
        try await call(method, endpoint, requestData, options).stream(observer)
    }

    /// Downloads a response to a file with a GET; see `StreamingTransport.download`.
    ///
    /// ```swift
    /// try await agent.download("/photos/7", to: file, downloadOptions: DownloadOptions(resumes: true))
    /// ```
    /// - Parameters:
    ///   - endpoint: an absolute URL for an `AKHTTPAgent`, a path for an `AKServerAgent`.
    ///   - file: the target, in an existing folder. It is replaced when the download is complete.
    ///   - requestData: data of this call, merged with the agent's; default nil.
    ///   - options: timeouts; default those of ``AKHTTPRequestOptions``. The size limit does not apply.
    ///   - downloadOptions: resuming and the size limit of the file; default neither.
    ///   - observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``, also for a status of 300 or more, with the first 1 KiB of the body, and with the code
    ///   `file` if the file cannot be written.
    @discardableResult
    public func download(
        _ endpoint: String, to file: URL, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        downloadOptions: DownloadOptions = DownloadOptions(), observer: (any TransferObserver)? = nil
    ) async throws(AKError) -> DownloadedFile {
        try await call(.get, endpoint, requestData, options).download(to: file, downloadOptions, observer)
    }
}

extension AgentCall where Base: StreamingTransport {
    fileprivate func stream(_ observer: (any TransferObserver)?) async throws(AKError) -> HTTPResponseStream {
        do {
            let response = try await transport.stream(request, observer: observer)
            onResponse?(response.head)
            guard response.head.isSuccess else {
                throw AKError(AKHTTPResponse(try await response.truncated(to: 64 << 10)), to: request)
            }
            return response.tracked(mapError: { AKError($0) })
        } catch {
            throw AKError(error)
        }
    }

    fileprivate func download(
        to file: URL, _ options: DownloadOptions, _ observer: (any TransferObserver)?
    ) async throws(AKError) -> DownloadedFile {
        do {
            let request = request.withUserOfAuthorization()
            return try await transport.download(request, to: file, options: options, observer: observer)
        } catch let error as DownloadError {
            if let head = error.head { onResponse?(head) }
            throw AKError(error, of: request)
        } catch {
            if let head = (error as? TransportError)?.head { onResponse?(head) }
            throw AKError(error)
        }
    }
}

extension HTTPResponseStream {
    /// Reads at most `limit` bytes of the body and drops the rest.
    fileprivate func truncated(to limit: Int) async throws -> HTTPResponse {
        var prefix = Data()
        for try await chunk in body {
            prefix.append(chunk.prefix(limit - prefix.count))
            if prefix.count == limit { break }
        }
        return HTTPResponse(head: head, body: prefix)
    }
}
