import Coordination
public import Foundation
public import HTTPMessages

extension Transport {
    /// Uploads a file or bytes in requests that continue after an interruption.
    ///
    /// ```swift
    /// let options = UploadOptions { $0.record = folder.appending(path: "film.upload") }
    /// try await transport.upload(.file(at: film), to: endpoint, resuming: .ietf, options: options)
    /// ```
    ///
    /// The upload is created by a `POST` without content, and filled by `PATCH`. After a lost connection, a timeout, a
    /// status 408, 429 or 5xx, or a request that a layer refuses to send, as while a circuit is open, the call asks for
    /// the offset by `HEAD`, and sends the rest. Before that it waits as long as `Retry-After` or the layer says; more
    /// than ten minutes, or than the total timeout leaves, ends the call. With
    /// ``UploadOptions/record`` the next call continues, also after a relaunch, if endpoint, length, content and user
    /// (`RequestOptions.cachePartition`) are the same; the content is compared by its first and last 64 KiB. An upload
    /// that the server no longer has starts over, once. One whose length the server does not take (413, or
    /// `Upload-Limit`) fails, and the server is asked by `DELETE` to remove it; the call does not wait for that.
    ///
    /// The total timeout spans all requests and waits. Layers that retry are not needed: they send again only
    /// what has certainly not arrived.
    /// - Parameters:
    ///   - body: bytes, or a file, which must not change meanwhile.
    ///   - endpoint: the URL that creates uploads.
    ///   - observer: receives progress events; bytes count for the whole upload, and fall back to the server's offset
    ///     after an interruption.
    ///   - clock: measures the total timeout and the waits.
    /// - Returns: the last response; that of the offset, if the response to the last part was lost.
    /// - Throws: ``UploadError``; the errors of ``send(_:observer:)``, a ``TransportError`` with all attempts;
    ///   `HTTPMessageError` for a file that cannot be read.
    @discardableResult
    public func upload(
        _ body: HTTPBody, to endpoint: URL, resuming kind: UploadProtocol, options: UploadOptions = UploadOptions(),
        observer: (any TransferObserver)? = nil, clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> HTTPResponse {
        let clock = AnyMonotonicClock(clock)
        var options = options
        let call = options.requestOptions.openCall()
        defer { call.close() }
        let upload = Upload(
            base: self, source: try UploadSource(body), endpoint: endpoint, kind: kind.kind, options: options,
            observer: observer, clock: clock, deadline: options.requestOptions.timeouts.total.map { clock.now + $0 })
        return try await naming(endpoint) { try await upload.run().response }
    }

    /// Uploads parts at the same time, and joins them to one upload: the extension Concatenation of tus.
    ///
    /// Each part is an upload of its own, which continues after an interruption; so is the request that joins them,
    /// which has the metadata. The total timeout spans all of them. There is no record: the next call sends all parts
    /// again.
    /// - Parameter parts: the content, in its order.
    /// - Returns: the response that creates the joined upload.
    /// - Throws: as ``upload(_:to:resuming:options:observer:clock:)``.
    @discardableResult
    public func upload(
        joining parts: [HTTPBody], to endpoint: URL, options: UploadOptions = UploadOptions(),
        clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> HTTPResponse {
        let clock = AnyMonotonicClock(clock)
        var options = options
        let call = options.requestOptions.openCall()
        defer { call.close() }
        options.record = nil
        let single = options
        let deadline = single.requestOptions.timeouts.total.map { clock.now + $0 }
        func member(_ body: HTTPBody, _ concatenation: UploadConcatenation) throws -> Upload<Self> {
            Upload(
                base: self, source: try UploadSource(body), endpoint: endpoint, kind: .tus, options: single,
                concatenation: concatenation, observer: nil, clock: clock, deadline: deadline)
        }
        return try await naming(endpoint) {
            let urls = try await withThrowingTaskGroup(of: (Int, URL).self) { group in
                for (number, part) in parts.enumerated() {
                    let upload = try member(part, .partial)
                    group.addTask { (number, try await upload.run().upload ?? endpoint) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            return try await member(.bytes(Data()), .final(parts.indices.compactMap { urls[$0] })).run().response
        }
    }

    private func naming<Result>(_ endpoint: URL, _ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch var error as UploadError {
            let request = try? HTTPRequest(.post, endpoint)
            (error.request, error.failingURL) = (request?.description, request?.redactedURL)
            throw error
        }
    }
}
