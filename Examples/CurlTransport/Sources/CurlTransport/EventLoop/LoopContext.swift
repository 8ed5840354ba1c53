/// State that the transfers of an event loop share, for use on its thread only.
final class LoopContext {
    let mailbox: Mailbox
    let clock: EngineClock
    let codings: ContentCodings
    /// Memory for response bodies.
    let pool = ChunkPool()
    /// Transfers that have used up their share of decoding, and have further bytes.
    var decoding: [ActiveTransfer] = []
    /// Transfers that have received the pieces of a turn, and are paused until the next round.
    var yielding: [ActiveTransfer] = []
    /// The number of calls of ``beginRound()``.
    private(set) var round = 0
    /// The buffer for decoded bytes.
    let scratch: UnsafeMutableRawBufferPointer
    /// The deadlines of all transfers.
    var deadlines = DeadlineQueue<ActiveTransfer, Duration>()
    /// Transfers whose results are delivered together.
    var completed: [ActiveTransfer] = []
    /// Origins that responded over HTTP/2 since the loop last took them.
    var multiplexedOrigins: [String] = []
    var multiplexedConnections = MultiplexedConnections()
    /// The number of transfers that were started.
    var startCount = 0
    /// ``startCount`` when an origin last announced the end of an HTTP/2 connection (GOAWAY), while it has transfers.
    var announcedEnds: [String: Int] = [:]
    /// True if HTTP/2 without TLS is possible.
    let allowsPlainHTTP2: Bool
    let proxy: CurlTransport.Proxy

    /// Transfers with chunks for their readers.
    var staging: [ActiveTransfer] = []
    /// When these chunks are handed over.
    var staged = Staging()

    init(
        _ mailbox: Mailbox, clock: EngineClock, codings: ContentCodings,
        _ options: CurlTransport.NetworkOptions = CurlTransport.NetworkOptions(proxy: .none)
    ) {
        allowsPlainHTTP2 = options.httpVersion == .http2PriorKnowledge
        proxy = options.proxy
        self.mailbox = mailbox
        self.clock = clock
        self.codings = codings
        scratch = .allocate(byteCount: 64 << 10, alignment: 16)
    }

    deinit { scratch.deallocate() }

    /// True while transfers wait for the next round.
    var hasWaiting: Bool { !decoding.isEmpty || !yielding.isEmpty }

    /// Gives each transfer another share.
    /// - Returns: those that wait for it.
    func beginRound() -> (decoding: [ActiveTransfer], yielding: [ActiveTransfer]) {
        round += 1
        defer { (decoding, yielding) = ([], []) }
        return (decoding, yielding)
    }

    /// Releases the transfers, which hold the context themselves.
    func removeTransfers() { (decoding, yielding, staging) = ([], [], []) }

    /// Hands all staged chunks to their readers.
    func flush() {
        guard !staging.isEmpty else { return }
        for transfer in staging { transfer.flush() }
        staging.removeAll(keepingCapacity: true)
        staged.handedOver()
    }

    /// Resumes the callers of ended transfers. Together, since this wakes their threads once.
    func deliver() {
        guard !completed.isEmpty else { return }
        for transfer in completed { transfer.deliver() }
        completed.removeAll(keepingCapacity: true)
    }

    /// Has the loop look at a transfer at its deadline.
    func note(_ transfer: ActiveTransfer) {
        if let deadline = transfer.state.deadline { deadlines.schedule(transfer, at: deadline) }
    }
}
