/// State that the transfers of an event loop share, for use on its thread only.
final class LoopContext {
    let mailbox: Mailbox
    let clock: EngineClock
    let codings: ContentCodings
    /// Memory for response bodies.
    let pool = ChunkPool()
    /// The maximum number of bytes that one transfer decodes in a round of the loop, give or take ``scratch``.
    ///
    /// Without it, a few KiB that decode to gigabytes would keep the other transfers waiting.
    let decodingShare: Int64 = 512 << 10
    /// The number of bytes that a step of decoding counts for, at least: one may take coded bytes, and return none.
    let minimumDecodingCost = 8 << 10
    /// Transfers that have used up their share, and have further bytes to decode.
    var decoding: [ActiveTransfer] = []
    /// The number of pieces of at most 16 KiB that one transfer receives in a round of the loop.
    ///
    /// Without it, libcurl would read up to a hundred buffers in a row, while the server is fast enough to fill them, and
    /// a server that sends chunks of one byte would occupy the thread for seconds.
    let maximumPieces = 64
    /// The average size below which pieces are small.
    let smallPiece = 128
    /// Transfers that have received these pieces, and are paused until the next round.
    var yielding: [ActiveTransfer] = []
    /// The number of calls of ``beginRound()``.
    private(set) var round = 0
    /// The buffer for decoded bytes.
    let scratch: UnsafeMutableRawBufferPointer
    /// A time at or before the earliest deadline of all transfers.
    var nextDeadline: Duration?
    /// Origins that responded over HTTP/2 since the loop last took them.
    var multiplexedOrigins: [String] = []
    /// The last HTTP/2 connection of each origin.
    var multiplexedConnections: [String: SocketTable.ID] = [:]
    /// The number of transfers that were started.
    var startCount = 0
    /// ``startCount`` when an origin last announced the end of an HTTP/2 connection (GOAWAY).
    var announcedEnds: [String: Int] = [:]
    /// True if HTTP/2 without TLS is possible.
    let allowsPlainHTTP2: Bool
    /// True if requests without TLS may go to an HTTP proxy.
    let mayUseProxy: Bool

    /// Transfers with chunks for their readers.
    var staging: [ActiveTransfer] = []
    /// When these chunks are handed over.
    var staged = Staging()

    init(
        _ mailbox: Mailbox, clock: EngineClock, codings: ContentCodings, allowsPlainHTTP2: Bool = false,
        mayUseProxy: Bool = false
    ) {
        self.allowsPlainHTTP2 = allowsPlainHTTP2
        self.mayUseProxy = mayUseProxy
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

    /// Lowers ``nextDeadline`` to an earlier deadline.
    func note(_ deadline: Duration?) {
        guard let deadline else { return }
        nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
    }
}
