public import Foundation
public import HTTPMessages
public import Transport

// Uploads, streams and downloads, which the vendor's class does not have.

extension WLResourceRequest {
    /// Sends a file as the body of a POST or PUT, read from disk while it is sent.
    /// - Parameters:
    ///   - file: its type is `application/octet-stream`, unless a header sets `Content-Type`.
    ///   - observer: receives the progress of the transfer; default nil.
    /// - Throws: ``WLError``; `invalidRequest` for other methods.
    @discardableResult
    public func upload(
        fromFile file: URL, observer: (any TransferObserver)? = nil
    ) async throws(WLError) -> WLResponse {
        guard httpMethod == Self.WLHttpMethodPost || httpMethod == Self.WLHttpMethodPut else {
            throw WLError(
                .invalidRequest, "\(httpMethod ?? "A request without a method") sends no body; upload with POST or PUT."
            )
        }
        return try await client.perform(httpRequest(.file(file)), observer)
    }

    /// Sends the request without a body and streams the body of its response.
    ///
    /// ```swift
    /// let response = try await request.stream()
    /// for try await chunk in response.body { count += chunk.count }
    /// ```
    /// Leaving the loop, or releasing the response, ends the call. An error of the body is a ``WLError`` too.
    /// - Throws: ``WLError``, also for a status other than 2xx, with at most 64 MiB of the body.
    public func stream(observer: (any TransferObserver)? = nil) async throws(WLError) -> HTTPResponseStream {
        try await client.stream(httpRequest(), observer)
    }

    /// Downloads the response to a file; see `StreamingTransport.download`.
    /// - Parameters:
    ///   - file: the target, in an existing folder. It is replaced when the download is complete.
    ///   - options: resuming and the size limit of the file; default neither.
    ///   - observer: receives the progress of the transfer; default nil.
    /// - Throws: ``WLError``, also for a status other than 2xx, with the first 1 KiB of the body, and with `file` if
    ///   the file cannot be written.
    @discardableResult
    public func download(
        to file: URL, options: DownloadOptions = DownloadOptions(), observer: (any TransferObserver)? = nil
    ) async throws(WLError) -> DownloadedFile {
        try await client.download(httpRequest(), to: file, options, observer)
    }
}
