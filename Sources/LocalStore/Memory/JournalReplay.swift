/// What was found when a journal was read.
struct JournalReplay: Hashable {
    /// How many bytes are committed.
    var size = JournalFrame.head.count
    /// How many of them were written at once, with a whole state, when the journal was last rewritten.
    var baseSize = JournalFrame.head.count
    /// The number of the next transaction.
    var transaction: UInt32 = 1
    /// How many whole frames at the end belong to no transaction that was committed.
    var lostFrames = 0
    /// How many bytes there are of a frame behind them that is not whole.
    var tornBytes = 0
    /// How long the journal was.
    var fileSize = JournalFrame.head.count
    /// True when a rewriting had not come to its end.
    var wasRewriting = false
}
