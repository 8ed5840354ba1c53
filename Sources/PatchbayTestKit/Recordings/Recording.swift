public import Foundation
public import HTTPMessages
public import Transport

/// Exchanges with a server in a readable file, for tests without the server.
///
/// ```swift
/// let network = Recording.transport(file)
/// let client = try APIClient("https://shop.example.com", over: network)
/// ```
///
/// Record once by `Recording.transport(file, mode: .record, over: URLSessionTransport.shared)` and
/// ``RecordedTransport/save()``; then replay. The file is JSON with one member a line, so that a changed response is a
/// small difference in version control: bodies are texts, in lines if they have several, other bytes Base64. Secrets
/// are replaced before an exchange is kept, so the file is readable for all (mode 0644).
///
/// Put it at the bottom of a stack, over the network: layers above, such as retries and redirects, then run in the test
/// as they do in the app.
public struct Recording: Sendable {
    /// What a recorded transport does with a request.
    @nonexhaustive public enum Mode: Hashable, Sendable, CaseIterable {
        /// Returns recorded responses; other requests fail, and nothing is sent.
        case replay
        /// Sends every request, and replaces the file by what was recorded.
        case record
        /// Returns recorded responses; sends other requests, and adds them to the file.
        case update
    }

    /// The exchanges, in the order of their requests.
    public var exchanges: [Exchange]

    /// Creates a recording.
    public init(_ exchanges: [Exchange] = []) { self.exchanges = exchanges }

    /// Creates a transport that replays or records a file. The file is read with the first request.
    public static func transport<Base: Transport>(
        _ file: URL, mode: Mode = .replay, rules: RecordingRules = .standard, over base: Base
    ) -> RecordedTransport<Base> {
        RecordedTransport(base: base, session: RecordingSession(file, mode, rules))
    }

    /// Creates a transport that replays a file; a request that is not in it fails. The file is read with the first
    /// request.
    public static func transport(
        _ file: URL, rules: RecordingRules = .standard
    ) -> RecordedTransport<FakeTransport> {
        replaying(RecordingSession(file, .replay, rules))
    }

    /// Creates a transport that replays this recording; a request that is not in it fails.
    public func transport(rules: RecordingRules = .standard) -> RecordedTransport<FakeTransport> {
        Self.replaying(RecordingSession(self, rules))
    }

    private static func replaying(_ session: RecordingSession) -> RecordedTransport<FakeTransport> {
        RecordedTransport(base: FakeTransport { throw session.unmatched($0, body: nil) }, session: session)
    }
}

extension Recording {
    /// A request and its outcome: a response, an error, or both if the body was cut short.
    public struct Exchange: Sendable {
        /// The request, its body in memory.
        public var request: HTTPRequest
        /// The head of the response; nil if there was none.
        public var head: HTTPResponseHead?
        /// The body of the response, in the pieces that were read; one for a body that was not streamed.
        public var chunks: [Data]
        /// The error before or after the head.
        public var error: TransportError?
        /// True if the reader left the body before its end. A replay fails there with `truncated`.
        public var isPartial = false
        /// True if ``RecordedTransport/verify()`` allows that it is not requested; default false.
        ///
        /// For requests that run at the same time and are cancelled by the failure of one: not all are sent each time.
        public var isOptional = false

        /// Creates an exchange with a response.
        public init(_ request: HTTPRequest, _ response: HTTPResponse) {
            self.request = request
            head = response.head
            chunks = response.body.isEmpty ? [] : [response.body]
        }

        /// Creates an exchange that failed, perhaps after its head and the start of the body.
        public init(_ request: HTTPRequest, _ error: TransportError) {
            self.request = request
            self.error = error
            head = error.head
            chunks = error.head == nil || error.bodyPrefix.isEmpty ? [] : [error.bodyPrefix]
        }

        init(_ request: HTTPRequest, _ head: HTTPResponseHead, chunks: [Data], error: TransportError?) {
            self.request = request
            self.head = head
            self.chunks = chunks
            self.error = error
        }

        /// The body of the response in one piece.
        public var body: Data { chunks.inOnePiece }

        /// The error with which a replay ends: the recorded one, or that the reader left the body.
        func failure(of request: HTTPRequest) -> TransportError? {
            if let error {
                return TransportError(
                    error.code, error.message, request: request, phase: error.phase, tlsFailure: error.tlsFailure,
                    head: head, bodyPrefix: body)
            }
            guard isPartial else { return nil }
            return TransportError(
                .truncated, "The recorded body ends here, since its reader left it; record it to its end.",
                request: request, head: head, bodyPrefix: body)
        }

        /// The bytes of the request's body; nil if it has none or they are not in memory.
        var requestBody: Data? {
            if case .bytes(let data) = request.body.source { data } else { nil }
        }

        /// Replaces compressed bodies by the bytes before, in which secrets can be found.
        ///
        /// One that cannot be decoded, or is too large, becomes the placeholder.
        mutating func decodeBodies() {
            if let body = requestBody, !body.isEmpty, let coding = request.fields.contentCoding {
                let decoded = body.decoded(coding)
                try? request.setBody(.bytes(decoded ?? Data(Redaction.placeholder.utf8)))
                if decoded != nil { request.fields.remove(.contentEncoding) }
            }
            if var head, let coding = head.fields.contentCoding, !body.isEmpty {
                // As of an engine that decodes; see `HTTPResponseHead.decodedContentCodings`.
                let decoded = body.decoded(coding)
                chunks = [decoded ?? Data(Redaction.placeholder.utf8)].filter { !$0.isEmpty }
                head.fields.remove(.contentLength)
                if decoded != nil { head.fields.remove(.contentEncoding) }
                self.head = head
            }
        }
    }
}

extension [Data] {
    /// The bytes of all pieces.
    var inOnePiece: Data {
        // Not by `+`, which copies the sum for each piece.
        count == 1 ? self[0] : reduce(into: Data()) { $0 += $1 }
    }
}
