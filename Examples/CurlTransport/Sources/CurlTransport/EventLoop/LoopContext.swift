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
    /// Transfers that have used up their share, and have further bytes to decode.
    var decoding: [ActiveTransfer] = []
    /// The number of calls of ``nextDecodingRound()``.
    private(set) var decodingRound = 0
    /// The buffer for decoded bytes.
    let scratch: UnsafeMutableRawBufferPointer
    /// A time at or before the earliest deadline of all transfers.
    var nextDeadline: Duration?
    /// Origins that responded over HTTP/2 since the loop last took them.
    var multiplexedOrigins: [String] = []

    /// Transfers with chunks for their readers.
    var staging: [ActiveTransfer] = []
    /// When these chunks are handed over.
    var staged = Staging()

    init(_ mailbox: Mailbox, clock: EngineClock, codings: ContentCodings) {
        self.mailbox = mailbox
        self.clock = clock
        self.codings = codings
        scratch = .allocate(byteCount: 64 << 10, alignment: 16)
    }

    deinit { scratch.deallocate() }

    /// Gives each transfer another share.
    /// - Returns: those that wait for it.
    func nextDecodingRound() -> [ActiveTransfer] {
        decodingRound += 1
        defer { decoding = [] }
        return decoding
    }

    /// Releases the transfers, which hold the context themselves.
    func removeTransfers() { (decoding, staging) = ([], []) }

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
