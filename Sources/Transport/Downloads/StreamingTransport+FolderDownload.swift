import Coordination
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
        let hidden = folder.appending(
            path: ".patchbay-\(String(identity.utf8.fnv1a, radix: 16)).download", directoryHint: .notDirectory)
        return try await download(
            request, to: hidden, movingInto: folder, options: options, renewingURL: renewingURL, observer: observer,
            on: AnyMonotonicClock(clock))
    }
}

extension String.UTF8View {
    /// FNV-1a: the same in every process, unlike Swift's own hashes.
    var fnv1a: UInt64 { reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
}
