extension LoopbackServer {
    /// Limits of the requests that a server accepts and records.
    public struct Limits: Sendable {
        /// Maximum bytes of request line and header fields; more is answered with 431. Default 64 KiB.
        public var head: Int
        /// Maximum bytes of a body; more is answered with 413. Default 64 MiB.
        public var body: Int
        /// Number of requests kept in ``LoopbackServer/requests``, the first ones; 0 for long measurements. Default
        /// all.
        public var recordedRequests: Int

        /// Creates limits.
        public init(head: Int = 64 << 10, body: Int = 64 << 20, recordedRequests: Int = .max) {
            self.head = head
            self.body = body
            self.recordedRequests = recordedRequests
        }
    }
}
