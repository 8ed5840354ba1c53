import Foundation
import HTTPMessages

/// The state machine of a download, without transport and files.
///
/// ```
/// send `request` -received: write->    write chunks (`willWrite`) until the body ends (`bodyFinished`)
/// send `request` -received: restart->  send `request` for the whole file; at most once
/// send `request` -restart->            the same
/// write chunks   -bodyFinished: true-> finished
/// write chunks   -bodyFinished: false-> send `request` for the next range
/// ```
/// Any of the calls can throw, which ends the download.
struct DownloadState {
    enum Action: Equatable {
        /// Truncate the partial file at this offset and append the body. Store the record first; nil deletes it.
        case write(at: Int64, DownloadRecord?)
        /// Drop the body and send ``DownloadState/request`` again, which now requests the whole file.
        case restart
    }

    private(set) var original: HTTPRequest
    private let options: DownloadOptions
    /// The identity of the file that the bytes belong to; nil when the download cannot be resumed.
    private(set) var record: DownloadRecord?
    /// The number of bytes in the partial file.
    private(set) var count: Int64
    /// The number of bytes from an earlier download.
    private(set) var resumed: Int64 = 0
    private(set) var head: HTTPResponseHead?
    /// The digest of the file, by the responses that had it; nil if none had.
    private(set) var digest: Data?
    /// The `Content-Disposition` of the file, by the responses that had it: that of a part need not have it.
    private(set) var disposition: String?
    /// The expected end offset of the current body, if known.
    private var end: Int64?
    private var hasRestarted = false

    /// - Parameters:
    ///   - record: the record of an earlier download, if any.
    ///   - size: the size of its partial file.
    init(_ request: HTTPRequest, options: DownloadOptions, record: DownloadRecord? = nil, size: Int64 = 0)
        throws(DownloadError)
    {
        original = request
        self.options = options
        guard !options.resumes || (request.method == .get && request.body.isEmpty && !request.fields.contains(.range))
        else {
            throw DownloadError(
                .notResumable,
                "Only a GET without a body and without a Range can be resumed; set `DownloadOptions.resumes` to false.")
        }
        if options.resumes, let record, record.url == Self.identity(request, options),
            record.isOf(request.options.cachePartition), size > 0, size <= record.length
        {
            self.record = record
            (digest, disposition) = (record.digest, record.disposition)
            // For a complete file that was not moved to its target, request the last byte again: the response tells
            // whether the file is still the same.
            count = min(size, record.length - 1)
        } else {
            count = 0
        }
        resumed = count
    }

    /// Opens the call of all requests of this download.
    mutating func openCall() -> OpenCall { original.options.openCall() }

    /// What the record names the file by.
    private static func identity(_ request: HTTPRequest, _ options: DownloadOptions) -> String {
        options.identity ?? request.url.absoluteString
    }

    /// Requests the file by another URL from now on. Secret fields are not sent to another origin.
    mutating func renew(_ url: URL) throws(HTTPMessageError) {
        let origin = original.origin
        try original.setURL(url)
        guard original.origin != origin else { return }
        original.leave(origin)
        // The app has named each URL, and no server.
        original.options.visitedOrigins = [original.origin]
    }

    /// The request to send next, without regard to time.
    var request: HTTPRequest {
        var request = original
        // Ranges and digests apply to the encoded bytes, which the engine decodes, so request an unencoded body.
        if options.resumes || options.digest.needsIdentity { try? request.fields.set(.acceptEncoding, to: "identity") }
        if options.digest == .checkedIfSent || options.digest == .required {
            request.fields["Want-Repr-Digest"] = "sha-256=10"
        }
        guard options.resumes else { return request }
        if let record, count > 0 {
            try? request.fields.set(.range, to: "bytes=\(count)-")
            try? request.fields.set(.ifRange, to: record.entityTag)
            request.options.attemptReason = .continuation
        }
        return request
    }

    /// The request to send next, with what is left of the total timeout.
    func request(timeLeft rest: Duration?) throws(TransportError) -> HTTPRequest {
        var request = request
        guard let rest, let total = original.options.timeouts.total else { return request }
        guard rest > .zero else {
            let whole = original.options.timeouts.wholeTotal ?? total
            throw TransportError.timedOut(
                .total, "Timed out: the download did not finish within \(whole.secondsText).", request: request,
                head: head)
        }
        request.options.timeouts.reduceTotal(to: rest)
        return request
    }

    /// Handles a response head.
    mutating func received(_ head: HTTPResponseHead) throws(DownloadError) -> Action {
        self.head = head
        if let record, count > 0 {
            return try receivedPart(head, of: record)
        }
        guard head.status.kind == .successful else { throw unacceptable(head) }
        guard head.status != .partialContent || original.fields.contains(.range) else {
            throw DownloadError(
                .unexpectedRange,
                "Server sent 206 Partial Content, but the whole file was requested; report it to the server's operator.",
                head: head)
        }
        return try writeWhole(head)
    }

    private mutating func receivedPart(_ head: HTTPResponseHead, of record: DownloadRecord) throws(DownloadError)
        -> Action
    {
        switch head.status {
        case .partialContent:
            // Accept only the requested range of the same, unencoded file.
            guard head.fields.values(of: .contentRange).count == 1,
                let content = head.fields[.contentRange].flatMap({ ContentRange(parsing: $0) }),
                let range = content.range, range.lowerBound == count, range.upperBound <= record.length,
                content.length.map({ $0 == record.length }) ?? true,
                head.contentLength.map({ $0 == range.upperBound - range.lowerBound }) ?? true,
                !head.fields.contains(.etag) || head.fields[.etag] == record.entityTag,
                !head.fields.contains(.contentEncoding), head.decodedContentCodings == nil,
                // The check would not see the bytes of the earlier call.
                !head.isCheckedAtEnd || resumed == 0
            else { return try restart(head) }
            end = range.upperBound
            digest = DownloadDigest.sent(head) ?? digest
            disposition = head.fields[.contentDisposition] ?? disposition
            return .write(at: count, record)
        case .rangeNotSatisfiable:
            return try restart(head)
        case let status where status.kind == .successful:
            // The file has changed, or the server does not support ranges.
            return try writeWhole(head)
        default:
            throw unacceptable(head)
        }
    }

    private mutating func restart(_ head: HTTPResponseHead) throws(DownloadError) -> Action {
        guard !hasRestarted else {
            throw DownloadError(
                .unexpectedRange,
                "Server did not send the rest of the same file from byte \(count), also after a restart: status "
                    + "\(head.status.code), Content-Range \((head.fields[.contentRange] ?? "missing").prefix(60)); "
                    + "set `DownloadOptions.resumes` to false.", head: head)
        }
        hasRestarted = true
        reset()
        return .restart
    }

    /// Handles a response that the engine or a layer has refused.
    /// - Returns: true to send ``request`` again, which now requests the whole file: the response was to a range, of
    ///   which a decoder can make nothing, and a check by a layer may make nothing either.
    mutating func restart() -> Bool {
        guard record != nil, count > 0 else { return false }
        reset()
        defer { hasRestarted = true }
        return !hasRestarted
    }

    private mutating func writeWhole(_ head: HTTPResponseHead) throws(DownloadError) -> Action {
        reset()
        // Responses without content may declare a Content-Length.
        end = original.method == .head || head.status.hasNoContent ? nil : head.contentLength
        if let end, let limit = options.maximumBytes, end > limit { throw tooLarge }
        // Require a length: without one, the engine may have decoded the body, whose byte offsets then differ.
        // A part of a body that is checked at its end has not been checked.
        if options.resumes, head.status == .ok, let tag = head.strongEntityTag, let end, end > 0,
            head.fields[.acceptRanges]?.lowercased() != "none", !head.fields.contains(.contentEncoding),
            !head.isCheckedAtEnd
        {
            record = DownloadRecord(
                url: Self.identity(original, options), entityTag: tag, length: end, digest: DownloadDigest.sent(head),
                disposition: head.fields[.contentDisposition], user: original.options.cachePartition)
        }
        disposition = head.fields[.contentDisposition]
        // The digest is that of the whole file, also beside a range of the app, and without content.
        digest = original.method == .head || head.status == .partialContent ? nil : DownloadDigest.sent(head)
        return .write(at: 0, record)
    }

    /// Forgets the bytes that there are.
    mutating func reset() {
        record = nil
        digest = nil
        disposition = nil
        count = 0
        resumed = 0
    }

    /// Validates the next chunk, before it is written.
    mutating func willWrite(_ bytes: Int) throws(DownloadError) {
        let sum = count + Int64(bytes)
        if let limit = options.maximumBytes, sum > limit {
            reset()
            throw tooLarge
        }
        if let end, sum > end {
            // The earlier bytes are not trustworthy either.
            reset()
            throw DownloadError(
                .unexpectedRange, "Response is longer than its declared length (\(end) bytes); download it again.",
                head: head)
        }
        count = sum
    }

    /// Handles the end of a body.
    /// - Returns: true when the file is complete; false when ``request`` must be sent for the rest.
    func bodyFinished() throws(TransportError) -> Bool {
        if let end, count < end {
            throw TransportError(
                .truncated, "File truncated: \(count) of \(end) bytes received.", request: original, head: head)
        }
        return record.map { count >= $0.length } ?? true
    }

    private var tooLarge: DownloadError {
        DownloadError(
            .tooLarge, "File is larger than \(options.maximumBytes ?? 0) bytes; raise `DownloadOptions.maximumBytes`.",
            head: head)
    }

    private func unacceptable(_ head: HTTPResponseHead) -> DownloadError {
        DownloadError(
            .unacceptableStatus, "Server refused the download: \(head.status); `head` has its fields.", head: head)
    }
}
