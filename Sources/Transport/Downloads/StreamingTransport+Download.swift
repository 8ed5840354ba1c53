public import Foundation
public import HTTPMessages

extension StreamingTransport {
    /// Downloads to a file, over this transport and whatever layers it has.
    ///
    /// ```swift
    /// let file = try await transport.download(request, to: url, options: DownloadOptions(resumes: true))
    /// ```
    ///
    /// The bytes go to a file beside the target, private to its owner, which replaces the target in one step once all of
    /// them are on the disk. A file that is there already stays until then, and its mode is kept; a new one has the mode
    /// that the process gives new files. A link is followed. A call that fails or is cancelled leaves nothing behind,
    /// unless it can be resumed. Responses other than 2xx are errors; one without content makes an empty file.
    ///
    /// With ``DownloadOptions/resumes``, an interrupted download leaves `<name>.patchbay-partial` and
    /// `<name>.patchbay-record` beside the target (a name too long for that is cut, and a hash added), and the next call, of this process or a later one, goes on from there
    /// by a `Range` request (RFC 9110, section 14) under `If-Range`. That needs a server that states a `Content-Length`
    /// and a strong `ETag`; a `Last-Modified` date is not taken for one. Where these are missing, where the URL, the file
    /// on the server or the partial one has changed, or where the server answers with anything but the rest of the same
    /// file, the download starts over by itself. No content coding is asked for, because a part of a coded body is of no
    /// use. What was written survives the end of the process; after a loss of power it is as complete as the file
    /// system leaves it. The record holds the URL and can be read by the file's owner only.
    ///
    /// Writing happens on a few threads that all downloads share, and a few chunks at most are in memory.
    /// - Parameters:
    ///   - request: what to send; to be resumed it is a GET without a body and without a `Range`.
    ///   - file: where to, as a URL of a file in a folder that exists.
    ///   - options: how.
    ///   - observer: hears of progress until this call returns, or nil. Bytes that were there before count as received.
    /// - Throws: ``DownloadError``; what ``stream(_:observer:)`` and reading its body throw.
    @discardableResult
    public func download(
        _ request: HTTPRequest, to file: URL, options: DownloadOptions = DownloadOptions(),
        observer: (any TransferObserver)? = nil
    ) async throws -> DownloadedFile {
        let download = Download(base: self, request: request, file: file, options: options, observer: observer)
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
