/// The limited work of a transfer in one round of the event loop.
struct TransferTurn {
    /// The number of pieces of at most 16 KiB that one transfer receives in a round of the loop.
    ///
    /// Without it, libcurl would read up to a hundred buffers in a row, while the server is fast enough to fill them,
    /// and a server that sends chunks of one byte would occupy the thread for seconds.
    static let maximumPieces = 64
    /// The average size below which pieces are small.
    ///
    /// Rows of a table that arrive one by one are larger; the limit is for a server that wants to occupy the thread.
    static let smallPiece = 16
    /// The maximum number of bytes that one transfer decodes in a round of the loop, give or take
    /// ``LoopContext/scratch``.
    ///
    /// Without it, a few KiB that decode to gigabytes would keep the other transfers waiting.
    static let decodingShare = 512 << 10
    /// The number of bytes that a step of decoding counts for, at least: one may take coded bytes, and return none.
    static let minimumDecodingCost = 8 << 10

    private var round = -1
    private var (pieces, bytes) = (0, 0)
    private var decoded = 0
    /// True once the transfer waits for the next round to decode further.
    private var isWaiting = false

    private mutating func begin(_ round: Int) {
        guard self.round != round else { return }
        self = TransferTurn()
        self.round = round
    }

    /// Counts a received piece.
    /// - Returns: true if it is the last one of the turn, see also ``hasSmallPieces``.
    mutating func receivedPiece(of size: Int, in round: Int) -> Bool {
        begin(round)
        pieces += 1
        bytes += size
        return pieces == Self.maximumPieces
    }

    /// True if the pieces of a whole turn were small.
    var hasSmallPieces: Bool { bytes < Self.maximumPieces * Self.smallPiece }

    /// Counts a step of decoding.
    mutating func decoded(_ count: Int, in round: Int) {
        begin(round)
        decoded += max(count, Self.minimumDecodingCost)
    }

    /// True while the transfer may decode in this round.
    mutating func mayDecode(in round: Int) -> Bool {
        begin(round)
        return decoded < Self.decodingShare
    }

    /// Notes that the transfer waits for the next round.
    /// - Returns: false if it has waited already.
    mutating func waits(in round: Int) -> Bool {
        begin(round)
        defer { isWaiting = true }
        return !isWaiting
    }
}
