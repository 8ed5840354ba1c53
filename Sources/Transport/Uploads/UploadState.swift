import Foundation
import HTTPMessages

/// The state machine of a resumable upload, without transport and files.
///
/// ```
/// creating     -201 with Location->       sending from 0
/// asking       -offset->                  sending from there; done if complete
/// asking       -404, 410->                creating; at most once
/// sending      -offset before the end->   sending from there
/// sending      -no byte taken; tus: no offset-> asking, after a wait
/// sending      -the end->                 done
/// sending      -404, 410->                creating; at most once
/// sending      -409->                     asking, after a wait
/// sending      -413 with a limit->        asking; after a wait, unless it is at most half of the part
/// any          -a length outside of the server's limits-> failed, refused
/// any          -another 413->             failed
/// sending      -another status, of the complete upload-> failed
/// any          -408, 429, 5xx, interrupted-> asking, after a wait; creating without an upload
/// ```
struct UploadState: Sendable {
    enum Step: Hashable, Sendable {
        case create
        case ask(URL)
        /// Send bytes from an offset.
        case send(URL, Range<Int64>)
    }

    /// What follows a response.
    enum Action: Hashable, Sendable {
        /// Send the next request.
        case proceed
        /// Wait, then send the next request.
        case wait
        /// The upload is complete.
        case finish
    }

    let kind: UploadProtocol.Kind
    let endpoint: URL
    let length: Int64
    /// The most bytes of one request.
    private(set) var limit: Int64
    /// The fewest bytes of a request that is not the last.
    private var minimum: Int64 = 1
    /// The fewest and the most bytes of an upload, as far as the server has stated that.
    private var minimumLength: Int64 = 0
    private var maximumLength: Int64?
    /// The upload; nil before it is created.
    private(set) var upload: URL?
    /// The bytes that the server is known to have.
    private(set) var offset: Int64 = 0
    /// True if the server has the whole content, and has failed to process it.
    private(set) var hasFailedComplete = false
    /// True if the server does not take content of this length: its upload is of no use any more.
    private(set) var isRefused = false
    private var mustAsk: Bool
    private var hasRestarted = false

    /// - Parameter upload: the upload of an earlier call.
    init(_ kind: UploadProtocol.Kind, endpoint: URL, length: Int64, limit: Int64?, upload: URL? = nil) {
        (self.kind, self.endpoint, self.length, self.upload) = (kind, endpoint, length, upload)
        self.limit = max(1, limit ?? .max)
        mustAsk = upload != nil
    }

    /// The next request.
    var step: Step {
        guard let upload else { return .create }
        let part = max(limit, minimum)
        return mustAsk ? .ask(upload) : .send(upload, offset..<(length - offset > part ? offset + part : length))
    }

    /// Handles a lost connection or a timeout.
    mutating func interrupted() { mustAsk = upload != nil }

    /// Handles a response.
    /// - Throws: ``UploadError``.
    mutating func received(_ head: HTTPResponseHead) throws(UploadError) -> Action {
        // Before the limits change it.
        let step = step
        readLimits(head)
        if case .send = step, kind == .ietf, head.isComplete, !head.status.isSuccessful {
            // The content has arrived; what was to be done with it has failed, and sending it again is of no use.
            hasFailedComplete = true
            throw unacceptable(head)
        }
        switch (step, head.status.code) {
        case (_, 408), (_, 429), (_, 500..<600):
            interrupted()
            return .wait
        case (.create, 200..<300): return try created(head)
        case (.ask, 200..<300): return try asked(head)
        case (.send(_, let range), 200..<300): return try sent(range, head)
        case (.send, 409):
            // The server has more or fewer bytes than was known.
            mustAsk = true
            return .wait
        case (.send(_, let range), 413) where range.upperBound - range.lowerBound > max(limit, minimum):
            mustAsk = true
            // A limit that shrinks by a byte each time would otherwise have the part sent without end or pause.
            return (range.upperBound - range.lowerBound) / 2 >= max(limit, minimum) ? .proceed : .wait
        case (.ask, 404), (.ask, 410), (.send, 404), (.send, 410):
            guard !hasRestarted else { throw unacceptable(head) }
            (hasRestarted, upload, offset, mustAsk) = (true, nil, 0, false)
            return .proceed
        case (_, 413):
            // Without a limit of the server it may be a proxy that refuses the part: the upload stays.
            try checkLength(head)
            throw unacceptable(head)
        default: throw unacceptable(head)
        }
    }

    private mutating func created(_ head: HTTPResponseHead) throws(UploadError) -> Action {
        guard let location = head.fields[.location], let url = URL(string: location, relativeTo: head.url) else {
            throw UploadError(
                .unsupported, "Server created no resumable upload: no Location in its response; use another protocol.",
                head: head)
        }
        guard endpoint.scheme?.lowercased() != "https" || url.absoluteURL.scheme?.lowercased() == "https" else {
            throw UploadError(
                .unsupported,
                "Server created the upload at an http URL, though its endpoint is https: the content would "
                    + "be sent in clear text. Let the server know the scheme of its proxy.", head: head)
        }
        try checkSource(of: url, head)
        let isSecret = Redaction.standard.hasCredential(in: url.absoluteURL)
        upload = isSecret ? url.absoluteURL : head.atHome(url.absoluteURL, of: endpoint)
        try checkLength(head)
        // tus has no request that completes an empty upload: it is complete.
        return kind == .tus && length == 0 ? .finish : .proceed
    }

    /// Checks that no redirect to another origin has chosen the server of the content, or what credentials change.
    ///
    /// Without a redirect the server of the endpoint may name any origin.
    private func checkSource(of upload: URL, _ head: HTTPResponseHead) throws(UploadError) {
        let (origin, last, home) = (Origin(upload), Origin(head.url), Origin(endpoint))
        if head.stayed(at: last) || origin == last && origin != home { return }
        // The last other one, also if that has redirected back.
        let source = (head.redirects + [head]).map { Origin($0.url) }.last { $0 != home } ?? last
        throw UploadError(
            .unsupported,
            "Upload at \(origin.text) is named by a response from or through \(source.text), to which a redirect led; "
                + "nothing is sent to it. Use an endpoint that does not redirect to another origin.", head: head)
    }

    private mutating func asked(_ head: HTTPResponseHead) throws(UploadError) -> Action {
        guard let known = head.integer("Upload-Offset") else {
            throw UploadError(.unsupported, "Server states no Upload-Offset; use another protocol.", head: head)
        }
        // Less than was acknowledged is a server that has lost bytes.
        guard known >= offset, known <= length else { throw unexpected(head) }
        (offset, mustAsk) = (known, false)
        switch kind {
        case .tus: return known == length ? .finish : .proceed
        case .ietf:
            guard head.isComplete else {
                try checkLength(head)
                return .proceed
            }
            guard known == length else { throw unexpected(head) }
            return .finish
        }
    }

    private mutating func sent(_ range: Range<Int64>, _ head: HTTPResponseHead) throws(UploadError) -> Action {
        // The response to the last part is that of the upload, which need not state an offset.
        if kind == .ietf, range.upperBound == length, (head.integer("Upload-Offset") ?? length) == length {
            offset = length
            guard head.isIncomplete else { return .finish }
            mustAsk = true
            return .wait
        }
        guard let known = head.integer("Upload-Offset") else {
            // tus demands the offset: the response may be that of a gateway.
            mustAsk = kind == .tus
            if mustAsk { return .wait }
            // Without a word the part has arrived, as its status says.
            offset = range.upperBound
            return offset == length ? .finish : .proceed
        }
        guard known >= range.lowerBound, known <= range.upperBound else { throw unexpected(head) }
        offset = known
        if known == length { return .finish }
        // A server that takes nothing is asked after a wait, as after a failure.
        mustAsk = known == range.lowerBound && !range.isEmpty
        return mustAsk ? .wait : .proceed
    }

    /// - Throws: ``UploadError`` (`tooLarge`, `tooSmall`).
    private mutating func checkLength(_ head: HTTPResponseHead) throws(UploadError) {
        if let maximumLength, maximumLength < length {
            isRefused = true
            throw UploadError(
                .tooLarge, "Upload is too large: \(length) bytes, and the server takes at most \(maximumLength).",
                head: head)
        }
        if length < minimumLength {
            isRefused = true
            throw UploadError(
                .tooSmall, "Upload is too small: \(length) bytes, and the server takes at least \(minimumLength).",
                head: head)
        }
    }

    private mutating func readLimits(_ head: HTTPResponseHead) {
        guard kind == .ietf, let text = head.fields["Upload-Limit"],
            let limits = try? StructuredDictionary(parsing: text),
            // One of another type makes the whole field void.
            ["max-size", "min-size", "max-append-size", "min-append-size", "max-age"]
                .allSatisfy({ limits[$0] == nil || limits[$0]?.value?.integer != nil })
        else { return }
        func size(_ key: String) -> Int64? { limits[key]?.value?.integer.flatMap { $0 > 0 ? $0 : nil } }
        let largest = size("max-append-size") ?? .max
        limit = min(limit, largest)
        // A part of the app's size may be too small.
        minimum = min(size("min-append-size") ?? minimum, largest)
        maximumLength = size("max-size") ?? maximumLength
        minimumLength = size("min-size") ?? minimumLength
    }

    private func unexpected(_ head: HTTPResponseHead) -> UploadError {
        UploadError(
            .unexpectedOffset,
            "Server's Upload-Offset is not possible: \((head.fields["Upload-Offset"] ?? "none").prefix(40)), after \(offset) "
                + "of \(length) bytes; start the upload again.",
            head: head)
    }

    private func unacceptable(_ head: HTTPResponseHead) -> UploadError { .unacceptable(head) }
}

extension UploadError {
    static func unacceptable(_ head: HTTPResponseHead) -> UploadError {
        UploadError(
            .unacceptableStatus, "Server refused the upload: \(head.status); `head` has its fields.", head: head)
    }

    /// The error for a successful status after which the upload is where it was.
    static func noProgress(_ head: HTTPResponseHead) -> UploadError {
        UploadError(
            .unexpectedOffset,
            "Server took no byte of a part, or did not complete the upload, with status \(head.status); retry later, or "
                + "check that the URL is that of uploads.", head: head)
    }
}

extension HTTPResponseHead {
    /// What the server says of the upload, if it does; a parameter has no meaning.
    fileprivate var isComplete: Bool { fields["Upload-Complete"].map { $0 == "?1" || $0.hasPrefix("?1;") } ?? false }
    fileprivate var isIncomplete: Bool { fields["Upload-Complete"].map { $0 == "?0" || $0.hasPrefix("?0;") } ?? false }

    /// The value of a field that is one number without a sign.
    fileprivate func integer(_ name: String) -> Int64? {
        fields[name].flatMap { text in text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil }
    }
}
