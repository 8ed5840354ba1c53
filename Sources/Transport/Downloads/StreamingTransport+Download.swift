package import Coordination
public import Foundation
public import HTTPMessages

extension StreamingTransport {
    /// Downloads a response to a file.
    ///
    /// ```swift
    /// let file = try await transport.download(request, to: url, options: DownloadOptions(resumes: true))
    /// ```
    ///
    /// The bytes are written to a file of mode 0600 beside the target, synchronized to disk, then moved to the target
    /// by an atomic rename. An existing target stays until then and its mode is kept; a new file gets the process's
    /// default mode. Symbolic links are followed. A failed or cancelled call leaves no files, unless it can be
    /// resumed; what a killed process left, `.<UUID>.partial`, is deleted by a later download. Statuses other than 2xx
    /// are errors; a response without content makes an empty file.
    ///
    /// With ``DownloadOptions/resumes``, an interrupted download leaves `<name>.patchbay-partial` and
    /// `<name>.patchbay-record` beside the target; a name that would be too long is cut, and a hash added. The next
    /// call, also of another process, continues with a `Range` request (RFC 9110, section 14) under `If-Range`. That
    /// requires a server that sends a `Content-Length` and a strong `ETag`; `Last-Modified` is not used. Without
    /// them, if the URL, the file on the server or the user of the request (`RequestOptions.cachePartition`) has
    /// changed, or if the server sends anything but the rest of the same file, the download starts over. So does one
    /// whose body another layer checks at its end, by a `Content-Digest` or by Digest authentication: a part of it has
    /// not been checked. An error in the body that is neither one of the connection nor of the file is one of such a
    /// check: no bytes are kept. No content coding is requested, since ranges apply to the encoded bytes.
    /// The partial file survives the end of the process; after a power failure its content is what the file system
    /// has preserved. The record contains the URL and a hash of the user, and has mode 0600.
    ///
    /// With ``DownloadOptions/maximumAttempts`` the call itself continues after a lost connection or a timeout,
    /// and after a request that a layer has refused to send.
    ///
    /// The total timeout spans all requests of a download, the waits between them and one that starts over included;
    /// the other timeouts apply to each request.
    ///
    /// Files are written on four threads shared by all downloads, with at most a few chunks in memory.
    /// - Parameters:
    ///   - request: the request; a resumable one is a GET without a body and without a `Range`.
    ///   - file: the URL of the target file, in an existing folder.
    ///   - options: resuming, the size limit and the digest.
    ///   - renewingURL: makes another URL of the same file when a response has status 401, 403, 404 or 410, such as a
    ///     signed URL that has expired; nil ends the download. The same file is told by its `ETag`. A new origin gets
    ///     no secret fields of the request. Set ``DownloadOptions/identity`` so that the next call continues too.
    ///   - observer: receives progress events until this call returns, or nil. Resumed bytes count as received.
    ///   - clock: measures the total timeout and the waits between attempts.
    /// - Throws: ``DownloadError``; the errors of ``stream(_:observer:)`` and of reading its body.
    @discardableResult
    public func download(
        _ request: HTTPRequest, to file: URL, options: DownloadOptions = DownloadOptions(),
        renewingURL: (@Sendable (HTTPResponseHead) async throws -> URL?)? = nil,
        observer: (any TransferObserver)? = nil, clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> DownloadedFile {
        try await download(
            request, to: file, options: options, renewingURL: renewingURL, observer: observer,
            on: AnyMonotonicClock(clock))
    }

    /// Downloads a response to a file; the waits and the total timeout are measured by a clock of any type.
    /// - Parameter folder: moves the complete file there, under the name that the server gives it; nil to leave it.
    package func download(
        _ request: HTTPRequest, to file: URL, movingInto folder: URL? = nil, options: DownloadOptions,
        renewingURL: (@Sendable (HTTPResponseHead) async throws -> URL?)? = nil, observer: (any TransferObserver)?,
        on clock: AnyMonotonicClock
    ) async throws -> DownloadedFile {
        var request = request
        request.options.beginCall()
        let download = Download(
            base: self, request: request, file: file, folder: folder, options: options, renewingURL: renewingURL,
            observer: observer, clock: clock)
        return try await withTaskExecutorPreference(WorkerThreads.files) {
            do {
                return try await download.run()
            } catch var error as DownloadError {
                error.request = request.description
                error.failingURL = request.redactedURL
                throw error
            }
        }
    }
}

/// A completely downloaded file.
public struct DownloadedFile: Hashable, Sendable {
    /// The location of the file.
    public let url: URL
    /// The head of the last response; its status is 206 for a resumed download.
    public let head: HTTPResponseHead
    /// The size of the file in bytes.
    public let byteCount: Int64
    /// The number of bytes kept from an earlier, interrupted download.
    public let resumedBytes: Int64
}
