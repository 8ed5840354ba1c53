public import Foundation
public import HTTPMessages
import Queueing
public import Transport

// Uploads, streams and downloads.

extension HTTPManager {
    /// Sends a POST with a file as its body, read from disk while it is sent.
    ///
    /// ```swift
    /// let response = try await manager.upload(request, fromFile: photo, observer: progress)
    /// ```
    /// - Parameters:
    ///   - request: a POST; its ``ORARequest/requestBody`` and ``ORARequest/payload`` are not sent.
    ///   - file: the body. With ``ORARequest/compression`` it is compressed while it is sent.
    ///   - observer: receives the progress of the transfer; default ``ORARequest/observer``.
    /// - Returns: the response, with any status.
    /// - Throws: ``ORAError`` if there is no response. Cancelling the task cancels the request.
    @discardableResult
    public func upload(
        _ request: ORARequest, fromFile file: URL, observer: (any TransferObserver)? = nil
    ) async throws(ORAError) -> HTTPResponse {
        let body: HTTPBody
        do {
            body = try .file(at: file)
        } catch {
            throw ORAError(unsendable: error)
        }
        return try await perform(request.httpRequest(options, body: body), observer ?? request.observer)
    }
}

extension HTTPManager where Base: StreamingTransport {
    /// Sends a request through the same queue as added requests, and streams the body of its response.
    ///
    /// ```swift
    /// let response = try await manager.stream(request)
    /// for try await chunk in response.body { count += chunk.count }
    /// ```
    /// The request holds its queue slot, and in the background its background task, until the reader gets the end of
    /// the body or an error, or releases the response. An error of the body is an ``ORAError`` too. Nothing is retried
    /// once the head has arrived.
    /// - Parameter observer: receives the progress of the transfer; default ``ORARequest/observer``.
    /// - Returns: the response, with any status.
    /// - Throws: ``ORAError`` if there is no response.
    public func stream(
        _ request: ORARequest, observer: (any TransferObserver)? = nil
    ) async throws(ORAError) -> HTTPResponseStream {
        let observer = observer ?? request.observer
        let request = try request.httpRequest(options)
        background.handle(.requestAdded)
        do {
            return try await stack.stream(request, observer: observer)
                .tracked { [background] _ in
                    background.handle(.requestFinished)
                } mapError: {
                    ORAError($0)
                }
        } catch {
            background.handle(.requestFinished)
            throw ORAError(error)
        }
    }

    /// Downloads a response to a file, through the same queue as added requests; see `StreamingTransport.download`.
    ///
    /// ```swift
    /// request.requestType = GET
    /// try await manager.download(request, to: file, downloadOptions: DownloadOptions(resumes: true))
    /// ```
    /// The request holds its queue slot until the file is complete. Nothing is retried once the head has arrived.
    /// - Parameters:
    ///   - request: the request, usually a GET.
    ///   - file: the target, in an existing folder. It is replaced when the download is complete.
    ///   - downloadOptions: resuming and the size limit of the file; default neither.
    ///   - observer: receives the progress of the transfer; default ``ORARequest/observer``.
    /// - Throws: ``ORAError``, also for a status other than 2xx (`status`), with the first 1 KiB of the body, and with
    ///   the code `file` if the file cannot be written.
    @discardableResult
    public func download(
        _ request: ORARequest, to file: URL, downloadOptions: DownloadOptions = DownloadOptions(),
        observer: (any TransferObserver)? = nil
    ) async throws(ORAError) -> DownloadedFile {
        let observer = observer ?? request.observer
        let request = try request.httpRequest(options).withUserOfAuthorization()
        background.handle(.requestAdded)
        defer { background.handle(.requestFinished) }
        do {
            return try await stack.download(request, to: file, options: downloadOptions, observer: observer)
        } catch let error as DownloadError {
            throw ORAError(error, of: request)
        } catch {
            throw ORAError(error)
        }
    }
}
