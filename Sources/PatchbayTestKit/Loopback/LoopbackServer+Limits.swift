extension LoopbackServer {
    /// How much a server takes from a client, and what it remembers.
    public struct Limits: Sendable {
        /// The most bytes of request line and header fields; more is answered with 431.
        public var head: Int
        /// The most bytes of a body; more is answered with 413.
        public var body: Int
        /// How many of the first requests are kept for ``LoopbackServer/requests``; 0 for long measurements.
        public var recordedRequests: Int

        /// Limits; what is left out has its default: 64 KiB, 64 MiB and every request.
        public init(head: Int = 64 << 10, body: Int = 64 << 20, recordedRequests: Int = .max) {
            self.head = head
            self.body = body
            self.recordedRequests = recordedRequests
        }
    }
}
