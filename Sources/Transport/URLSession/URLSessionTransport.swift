public import Foundation
public import HTTPMessages

/// The network: requests go through Foundation's `URLSession`, with the holes of its Linux version mended.
///
/// Redirects are not followed, cookies not kept and nothing is cached: what came back is what is returned. Several
/// instances share nothing. A copy shares sessions and connections with its original; they are closed when the last
/// copy is gone and its requests are done.
///
/// On Linux (Swift 6.3) some things cannot be mended from outside, and are said here because a server decides them: a
/// response with trailers, one whose head is cut off, or a `Content-Length` near 2^63 ends the process inside
/// Foundation. IPv6 addresses as hosts are refused with ``TransportError/Code/unsupported``.
public struct URLSessionTransport: StreamingTransport {
    /// How a transport uses the network.
    public struct Configuration: Hashable, Sendable {
        /// How many requests to one origin run at a time; more wait their turn, and only their total deadline counts
        /// meanwhile. Default 32.
        public var maximumConnectionsPerOrigin: Int
        /// How many URLSessions share the work, at least 1; default 2, which is faster than 1 when many requests run.
        public var sessions: Int
        /// Where files are made for what does not fit into memory: bodies that are collected before they are sent, and what
        /// a slow reader has not taken yet of a streamed response. Default the system's folder for such files. One that is
        /// in memory itself, as `/tmp` is on some systems, is better replaced.
        public var temporaryDirectory: URL
        /// How many bytes of a streamed response are kept in memory for its reader, about; more goes to a file. Default
        /// 8 MiB, which lets a reader on a busy machine pause for some milliseconds. Lower it for very many streams with
        /// slow readers at once.
        public var streamBufferBytes: Int

        /// A configuration; what is left out has its default.
        public init(
            maximumConnectionsPerOrigin: Int = 32, sessions: Int = 2,
            temporaryDirectory: URL = FileManager.default.temporaryDirectory, streamBufferBytes: Int = 8 << 20
        ) {
            self.maximumConnectionsPerOrigin = maximumConnectionsPerOrigin
            self.sessions = sessions
            self.temporaryDirectory = temporaryDirectory
            self.streamBufferBytes = streamBufferBytes
        }
    }

    /// One transport for everybody who asks for no other, so that they share connections.
    public static let shared = URLSessionTransport()

    private let engine: SessionEngine

    /// A transport with sessions of its own.
    /// - Parameter clock: counts the deadlines; a test may pass one that it advances itself.
    public init(configuration: Configuration = Configuration(), clock: some Clock<Duration> = ContinuousClock()) {
        self.init(configuration: configuration, clock: clock, means: .platform)
    }

    /// A transport that hands over bodies as another platform does, for tests.
    init(
        configuration: Configuration = Configuration(), clock: some Clock<Duration> = ContinuousClock(),
        means: BodyUpload.Means
    ) {
        engine = SessionEngine(configuration, timeline: Timeline(clock), means: means)
    }

    /// Sends one request.
    ///
    /// A body that is an asynchronous stream is collected first, in a temporary file without a name. On Apple's platforms
    /// every body is that is neither bytes nor a whole file, and the file has a name while it is sent.
    /// - Throws: `TransportError`; `HTTPMessageError` (`invalidTimeout`).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try request.checkForURLSession()
        return try await response(to: Transfer(request, observer: observer, deadlines: engine.deadlines))
    }

    /// Sends one request and returns as soon as the head of the response has come. On Apple's platforms that may be with the
    /// first bytes of the body, or later for a type that the system sniffs.
    ///
    /// The network is read as fast as it gives: URLSession on Linux cannot make a server wait. What the reader has not
    /// taken is kept for it, some of it in memory (``Configuration/streamBufferBytes``) and the rest in a file without a
    /// name, whose space is free again when all of it was read. A disk that is full ends the transfer with
    /// `TransportError` (`temporaryStorage`).
    /// - Throws: as ``send(_:observer:)`` does, while the head has not come.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try request.checkForURLSession()
        let pipe = BodyPipe(spillingTo: engine.temporaryDirectory, memoryLimit: engine.streamBufferBytes)
        let transfer = Transfer(request, observer: observer, deadlines: engine.deadlines, pipe: pipe)
        let head = try await response(to: transfer).head
        let cancellation = TransportError(.cancelled, "The call was cancelled.", request: request, head: head)
        let body = PipedBody(pipe, cancellation: cancellation) { transfer.cancel() }
        return HTTPResponseStream(head: head, body: body)
    }

    private func response(to transfer: Transfer) async throws -> HTTPResponse {
        try await transfer.outcome { transfer in
            if engine.needsSpool(transfer.request.body) { spool(transfer) } else { engine.submit(transfer) }
        }
    }

    private func spool(_ transfer: Transfer) {
        let engine = engine
        let work = Task(executorPreference: engine.spooling) {
            do throws(BodySpool.Failure) {
                transfer.spooled(try await engine.spool(transfer.request.body))
                engine.submit(transfer)
            } catch {
                switch error {
                case .body(let error):
                    transfer.failed(
                        .unreadableBody, "Request body could not be read to its end.", underlying: error)
                case .disk(let error):
                    transfer.failed(
                        .temporaryStorage, .cannotStore("The request body", because: error), underlying: error)
                }
            }
        }
        transfer.began { work.cancel() }
    }
}
