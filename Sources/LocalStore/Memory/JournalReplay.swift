/// What was found when a journal was read.
struct JournalReplay: Hashable {
    /// The salt of the journal's frames.
    var salt: UInt32
    /// How many bytes are committed.
    var size = JournalHead.size
    /// How many of them were written at once, with a whole state, when the journal was last rewritten.
    var baseSize = JournalHead.size
    /// The number of the next transaction.
    var transaction: UInt32 = 1
    /// How many whole frames at the end belong to no transaction that was committed.
    var lostFrames = 0
    /// How many bytes there are of a frame behind them that is not whole.
    var tornBytes = 0
    /// How long the journal was.
    var fileSize = JournalHead.size
    /// True when a rewriting had not come to its end.
    var wasRewriting = false
}
