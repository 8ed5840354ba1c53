public import Foundation
public import HTTPMessages

extension StreamingTransport {
    /// Downloads a response to a file in a folder, under the name that the server gives it.
    ///
    /// The name is that of `Content-Disposition` (RFC 6266), without folders, control characters and the suffixes of
    /// partial files; else the last part of the path of the last URL; else `download`. A file that exists is never
    /// replaced: the new one gets a number, as in `report 2.pdf`. Until it is complete, the download is hidden in the
    /// folder; a resumable one is found there again by its identity.
    /// - Parameters:
    ///   - folder: an existing folder.
    ///   - options, renewingURL, observer, clock: as for ``download(_:to:options:renewingURL:observer:clock:)``.
    /// - Throws: as that method.
    @discardableResult
    public func download(
        _ request: HTTPRequest, intoFolder folder: URL, options: DownloadOptions = DownloadOptions(),
        renewingURL: (@Sendable (HTTPResponseHead) async throws -> URL?)? = nil,
        observer: (any TransferObserver)? = nil, clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> DownloadedFile {
        let identity = options.identity ?? request.url.absoluteString
        // Another call for the same file does not wait: it gets the error `inUse`, or a file of its own.
        let name = options.resumes ? String(identity.utf8.fnv1a, radix: 16) : UUID().uuidString
        let hidden = folder.appending(path: ".patchbay-\(name).download", directoryHint: .notDirectory)
        let file = try await download(
            request, to: hidden, options: options, renewingURL: renewingURL, observer: observer, clock: clock)
        do throws(DownloadError) {
            let url = try DownloadName.move(
                hidden, named: DownloadName.name(file.disposition, at: file.head.url), to: folder)
            return DownloadedFile(
                url: url, head: file.head, byteCount: file.byteCount, resumedBytes: file.resumedBytes,
                disposition: file.disposition)
        } catch {
            // Its name is known to no later call.
            if !options.resumes { try? FileManager.default.removeItem(at: hidden) }
            throw error
        }
    }
}

extension String.UTF8View {
    /// FNV-1a: the same in every process, unlike Swift's own hashes.
    var fnv1a: UInt64 { reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
}
