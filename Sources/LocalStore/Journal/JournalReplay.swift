/// Result of replaying a journal. Sizes are in bytes.
struct JournalReplay: Hashable {
    /// The salt of the journal.
    var salt: UInt32
    /// Size of the committed part.
    var size = JournalHeader.size
    /// Size of the complete state written by the last rotation.
    var baseSize = JournalHeader.size
    /// Number of the next transaction.
    var transaction: UInt32 = 1
    /// Complete frames after the last commit.
    var uncommittedFrames = 0
    /// Size of the incomplete frame at the end.
    var tornBytes = 0
    /// True if the incomplete frame has the size of a complete one, and sectors of zeros.
    var mayHaveLostCommits = false
    /// Size of the file.
    var fileSize = JournalHeader.size
    /// The file with the incomplete end of the journal.
    var discardedFile: String?
    /// True when a rotation had been interrupted.
    var foundUnfinishedRewrite = false
}
