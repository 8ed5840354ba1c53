import Foundation
import HTTPMessages

/// One download as a state machine: takes heads and lengths, says what to ask for and where to write. It knows no
/// transport and no file.
struct DownloadState {
    enum Action: Equatable {
        /// Write the body from this place of the partial file on; what is behind it there goes. With a record, keep that
        /// first; without one forget the one that was kept.
        case write(at: Int64, DownloadRecord?)
        /// Let the body go, and send ``DownloadState/request`` again, which asks for the whole now.
        case startOver
    }

    private let original: HTTPRequest
    private let options: DownloadOptions
    /// What the bytes so far belong to; nil when they belong to nothing that can be gone on with.
    private(set) var record: DownloadRecord?
    /// How many bytes of the file are there.
    private(set) var count: Int64
    /// How many of them were there from the start.
    private(set) var resumed: Int64 = 0
    private(set) var head: HTTPResponseHead?
    /// Where the body at hand has to end, if that is known.
    private var end: Int64?
    private var didStartOver = false

    /// - Parameters:
    ///   - record: what was kept of an earlier download, if anything.
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
                "Only a GET without a body and a Range can be resumed; set `DownloadOptions.resumes` to false.")
        }
        if options.resumes, let record, record.url == request.url.absoluteString, size > 0, size <= record.length {
            self.record = record
            // A file that is complete, but was not put into its place, is asked for its last byte: so that the server
            // can say whether it still is the same.
            count = min(size, record.length - 1)
        } else {
            count = 0
        }
        resumed = count
    }

    /// The request to send next.
    var request: HTTPRequest {
        var request = original
        guard options.resumes else { return request }
        // A part of a coded body is of no use, and its length is another.
        try? request.fields.set(.acceptEncoding, to: "identity")
        if let record, count > 0 {
            try? request.fields.set(.range, to: "bytes=\(count)-")
            try? request.fields.set(.ifRange, to: record.entityTag)
        }
        return request
    }

    /// A response has come.
    mutating func received(_ head: HTTPResponseHead) throws(DownloadError) -> Action {
        self.head = head
        if let record, count > 0 {
            return try receivedPart(head, of: record)
        }
        guard head.status.kind == .successful else { throw unacceptable(head) }
        guard head.status != .partialContent || original.fields.contains(.range) else {
            throw DownloadError(
                .unexpectedRange, "The server sent a part of the file, but the whole file was requested.", head: head)
        }
        return try writeWhole(head)
    }

    private mutating func receivedPart(_ head: HTTPResponseHead, of record: DownloadRecord) throws(DownloadError)
        -> Action
    {
        switch head.status {
        case .partialContent:
            // Anything but just the part that was asked for, of just the same file, is not to be trusted.
            guard head.fields.values(of: .contentRange).count == 1,
                let range = head.fields[.contentRange].flatMap(ContentRange.init), range.first == count,
                range.last < record.length, range.total.map({ $0 == record.length }) ?? true,
                !head.fields.contains(.etag) || head.fields[.etag] == record.entityTag,
                !head.fields.contains(.contentEncoding)
            else { return try startOver(head) }
            end = range.last + 1
            return .write(at: count, record)
        case .rangeNotSatisfiable:
            return try startOver(head)
        case let status where status.kind == .successful:
            // It is another file by now, or the server knows no ranges.
            return try writeWhole(head)
        default:
            throw unacceptable(head)
        }
    }

    private mutating func startOver(_ head: HTTPResponseHead) throws(DownloadError) -> Action {
        guard !didStartOver else {
            throw DownloadError(
                .unexpectedRange, "The server sent another part of the file than the request asked for.", head: head)
        }
        didStartOver = true
        forget()
        return .startOver
    }

    private mutating func writeWhole(_ head: HTTPResponseHead) throws(DownloadError) -> Action {
        forget()
        // A length may be stated for content that does not come.
        end = original.method == .head || head.status.hasNoContent ? nil : head.contentLength
        if let end, let limit = options.maximumBytes, end > limit { throw tooLarge }
        // Without a length, the bytes may be what is left of a coded body, whose parts have other places.
        if options.resumes, head.status == .ok, let tag = head.strongEntityTag, let end, end > 0,
            head.fields[.acceptRanges]?.lowercased() != "none", !head.fields.contains(.contentEncoding)
        {
            record = DownloadRecord(url: original.url.absoluteString, entityTag: tag, length: end)
        }
        return .write(at: 0, record)
    }

    private mutating func forget() {
        record = nil
        count = 0
        resumed = 0
    }

    /// So many bytes are to be written next.
    mutating func willWrite(_ bytes: Int) throws(DownloadError) {
        let sum = count + Int64(bytes)
        if let limit = options.maximumBytes, sum > limit {
            forget()
            throw tooLarge
        }
        if let end, sum > end {
            // What came before it is not to be trusted either.
            forget()
            throw DownloadError(.unexpectedRange, "The response is longer than its stated length.", head: head)
        }
        count = sum
    }

    /// The body has come to its end.
    /// - Returns: true when that was all; false when the server has to be asked for more.
    func ended() throws(TransportError) -> Bool {
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
        DownloadError(.unacceptableStatus, "\(head.status)", head: head)
    }
}
