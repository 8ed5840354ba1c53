/// Result of replaying a journal. Sizes are in bytes.
struct JournalReplay: Hashable {
    let version: JournalVersion
    /// The salt of the journal.
    let salt: UInt32
    /// Size of the committed part.
    var size: Int
    /// Size of the complete state written by the last rotation.
    var baseSize: Int
    /// Number of the next transaction.
    var transaction: UInt32 = 1
    /// Complete frames after the last commit.
    var uncommittedFrames = 0
    /// Size of the incomplete frame at the end.
    var tornBytes = 0
    /// True if the incomplete frame has the size of a complete one, and sectors of zeros.
    var mayHaveLostCommits = false
    /// Size of the file.
    var fileSize: Int
    /// The file with the incomplete end of the journal.
    var discardedFile: String?
    /// True when a rotation had been interrupted.
    var foundUnfinishedRewrite = false

    /// The result for a journal without frames.
    init(_ header: JournalHeader) {
        version = header.version
        salt = header.salt
        size = version.headerSize
        baseSize = size
        fileSize = size
    }
}
