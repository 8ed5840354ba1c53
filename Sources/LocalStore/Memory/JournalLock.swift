import Foundation

/// Keeps a journal for one store, among all programs of this machine. It is let go with the last reference to it, and
/// when the process ends, however that happens.
///
/// What is locked is a file beside the journal, since the journal itself gives way to a new one whenever it is rewritten.
/// That file is empty and stays: who removed it could remove one that somebody else has locked meanwhile.
final class JournalLock: Sendable {
    private let descriptor: CInt

    /// - Throws: `StoreError`: `busy` when another store has it; `io`.
    init(journal path: String) throws(StoreError) {
        let descriptor = try JournalFile.open(path + ".lock")
        // Not fcntl's kind of lock, which does not tell two stores of one process from each other.
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            _ = close(descriptor)
            guard code == EWOULDBLOCK else { throw JournalFile.failure("locked", code) }
            throw StoreError(
                .busy,
                "Another store has this journal open, in this program or in another one. "
                    + "Close that one, or use it; or give this store a journal of its own.")
        }
        self.descriptor = descriptor
    }

    deinit {
        // Not by closing alone: while another thread starts a program, that has a copy of the descriptor for a moment.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }
}
