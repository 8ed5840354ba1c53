import Coordination
public import Foundation
public import HTTPMessages

// The types of bodies, in the order in which the bytes of a request and its response pass them:
//
// | type | role |
// |---|---|
// | `RequestBodyUpload` | the form in which the session gets a request body: bytes, a file, a stream |
// | `RequestBodySpool` | a request body collected in a file first, where the session cannot get it in another form |
// | `RequestBodyStream` | the `InputStream` from which the session reads a request body on Linux |
// | `ResponseBodyPipe` | the buffer between the session, which writes a streamed response, and its reader |
// | `ResponseBodyPipeState` | the state machine of the pipe |
// | `SpillingWriter` | writes to the pipe, and beyond its limit to a temporary file |
// | `PipedResponseBody` | the reader's end of the pipe, as the body of an `HTTPResponseStream` |
// | `BufferedResponseBody` | a body in memory as such a sequence, for transports that do not stream |
// | `TrackedResponseBody` | a body that reports its end to a layer |
// | `ScratchFile` | the temporary file of a spool or a pipe |

/// A transport over Foundation's `URLSession`, with workarounds for the faults of its Linux version.
///
/// It follows no redirects, stores no cookies and caches nothing. Instances share nothing. Copies of one instance share
/// its sessions and connections, which close when the last copy is released and its requests have finished.
///
/// On Linux (Swift 6.3) Foundation has faults that a server can trigger and that have no workaround. A response with
/// trailers, a connection closed in the middle of a response head, or a `Content-Length` near 2^63 crashes the process.
/// IPv6 address hosts fail with `unsupported`.
public struct URLSessionTransport: StreamingTransport {
    /// Connection limits and buffering.
    public struct Configuration: Hashable, Sendable {
        /// Maximum number of concurrent requests per origin; default 32.
        ///
        /// Further requests wait in FIFO order. While they wait, the timeouts `queue` and `total` count.
        public var maximumConnectionsPerOrigin: Int
        /// Number of URLSessions, at least 1; default 2, which is faster than 1 under load.
        public var sessionCount: Int
        /// Folder for temporary files; default `FileManager.default.temporaryDirectory`.
        ///
        /// The files hold spooled request bodies and the spilled part of streamed responses. Choose a folder on disk
        /// where the default is a memory file system, as `/tmp` is on some systems.
        public var temporaryDirectory: URL
        /// Approximate number of bytes per streamed response that are buffered in memory; default 8 MiB.
        ///
        /// More is spilled to a file on Linux, and suspends the transfer on Apple's platforms, where what arrives
        /// nevertheless is spilled from twice this number. The default lets a
        /// reader on a busy machine pause for some milliseconds. Lower it for a large number of concurrent streams with
        /// slow readers.
        public var streamBufferBytes: Int

        /// Creates a configuration.
        public init(
            maximumConnectionsPerOrigin: Int = 32, sessionCount: Int = 2,
            temporaryDirectory: URL = FileManager.default.temporaryDirectory, streamBufferBytes: Int = 8 << 20
        ) {
            self.maximumConnectionsPerOrigin = maximumConnectionsPerOrigin
            self.sessionCount = sessionCount
            self.temporaryDirectory = temporaryDirectory
            self.streamBufferBytes = streamBufferBytes
        }
    }

    /// The default transport of the process; its users share connections.
    public static let shared = URLSessionTransport()

    private let engine: SessionEngine
    private let configuration: Configuration
    private let network: NetworkOptions
    private let clock: AnyMonotonicClock

    /// Creates a transport with its own sessions.
    /// - Parameter clock: measures timeouts; tests can pass a manual clock.
    public init(configuration: Configuration = Configuration(), clock: some Clock<Duration> = ContinuousClock()) {
        self.init(configuration: configuration, clock: clock, support: .platform)
    }

    /// Creates a transport with its own sessions and settings of connections.
    /// - Parameter network: most options are supported on Apple's platforms only.
    /// - Throws: `unsupported` for an option that this platform cannot honor; `proxy` for an invalid proxy; `tls` for a
    ///   certificate that cannot be read.
    public init(
        configuration: Configuration = Configuration(), network: NetworkOptions,
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(TransportError) {
        try self.init(configuration, network, AnyMonotonicClock(clock))
    }

    private init(
        _ configuration: Configuration, _ network: NetworkOptions, _ clock: AnyMonotonicClock
    ) throws(TransportError) {
        try network.validate(for: .current)
        engine = SessionEngine(
            configuration, options: network, challenges: try ChallengePolicy(network), clock: clock)
        (self.configuration, self.network, self.clock) = (configuration, network, clock)
    }

    /// A transport with sessions of its own, and with the settings of this one except for some: proxy, pins and trusted
    /// authorities stay.
    /// - Throws: as ``init(configuration:network:clock:)``.
    package func changed(_ change: (inout NetworkOptions) -> Void) throws(TransportError) -> URLSessionTransport {
        var network = network
        change(&network)
        return try URLSessionTransport(configuration, network, clock)
    }

    /// Creates a transport that sends bodies as another platform does, for tests.
    init(
        configuration: Configuration = Configuration(), clock: some Clock<Duration> = ContinuousClock(),
        support: RequestBodyUpload.Support
    ) {
        let clock = AnyMonotonicClock(clock)
        engine = SessionEngine(configuration, clock: clock, support: support)
        (self.configuration, network, self.clock) = (configuration, NetworkOptions(), clock)
    }

    /// Sends one request.
    ///
    /// A body that is an asynchronous stream is first spooled to an unlinked temporary file. On Apple's platforms,
    /// every body other than bytes or a whole file is spooled, to a named file.
    /// - Throws: `TransportError`; `HTTPMessageError` (`invalidTimeout`).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try request.checkForURLSession()
        if request.needsOwnResponse { return try await engine.upgraded(request, observer) }
        return try await engine.run(
            Transfer(request, relay: observer.map { ObserverRelay($0) }, timers: engine.timers))
    }

    /// Sends one request and returns when the response head has arrived.
    ///
    /// On Apple's platforms that is with the first byte of the body.
    ///
    /// Unread bytes are buffered in memory (``Configuration/streamBufferBytes``). When the buffer is full, the transfer
    /// is suspended on Apple's platforms until half of it is read; the system need not obey. On Linux there is no such
    /// back-pressure, because URLSession cannot suspend a transfer. Bytes beyond the buffer, on Apple's platforms
    /// beyond twice the buffer, are spilled to an unlinked temporary file, whose space is freed when it has been read.
    /// A full disk fails the transfer with `TransportError` (`temporaryStorage`).
    /// - Throws: the errors of ``send(_:observer:)`` that occur before the head arrives.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try request.checkForURLSession()
        if request.needsOwnResponse {
            let response = try await engine.upgraded(request, observer)
            return HTTPResponseStream(
                head: response.head, body: BufferedResponseBody(response.body, of: request, observer: nil))
        }
        let pipe = ResponseBodyPipe(ResponseBodyLimits(for: .current, memoryLimit: engine.streamBufferBytes))
        let transfer = Transfer(
            request, relay: observer.map { ObserverRelay($0) }, timers: engine.timers,
            writer: SpillingWriter(pipe: pipe, directory: engine.temporaryDirectory))
        let head = try await engine.run(transfer).head
        return pipe.response(head, to: request) { transfer.cancel() }
    }
}
