extension CurlTransport {
    /// Connection limits and buffering.
    public struct Configuration: Hashable, Sendable {
        /// Maximum number of concurrent requests per origin over HTTP/1; default 64.
        ///
        /// Further requests wait in FIFO order. While they wait, the timeouts `queue` and `total` count. An origin that
        /// has responded over HTTP/2 has no such limit.
        public var maximumConnectionsPerOrigin: Int
        /// Maximum number of connections that are kept open for reuse; default 256.
        public var maximumIdleConnections: Int
        /// Number of bytes of a streamed response that are buffered for its reader; default 4 MiB.
        ///
        /// At that number the transfer pauses, so that the server stops sending; it continues when half of it is read.
        public var streamBufferBytes: Int

        /// Creates a configuration.
        public init(
            maximumConnectionsPerOrigin: Int = 64, maximumIdleConnections: Int = 256, streamBufferBytes: Int = 4 << 20
        ) {
            self.maximumConnectionsPerOrigin = maximumConnectionsPerOrigin
            self.maximumIdleConnections = maximumIdleConnections
            self.streamBufferBytes = streamBufferBytes
        }
    }

    /// What ``CurlTransport/shutdown(_:)`` does with running requests.
    public enum Shutdown: Hashable, Sendable {
        /// They finish first.
        case draining
        /// They fail with `cancelled`.
        case cancelling
    }
}
