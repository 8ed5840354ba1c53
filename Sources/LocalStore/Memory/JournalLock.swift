import Foundation

/// Keeps a journal for one store, among all programs of this machine. It is let go with the last reference to it, and
/// when the process ends, however that happens.
///
/// What is locked is a file beside the journal, since the journal itself gives way to a new one whenever it is rewritten.
/// Only the holder removes that file, and a lock counts only while the file still has its name: so no two stores can
/// hold two files of one name. A process that is killed leaves the file, which the next store takes and then removes.
final class JournalLock: Sendable {
    private let descriptor: CInt
    private let path: String

    /// - Throws: `StoreError`: `busy` when another store has it; `io`.
    init(journal: String) throws(StoreError) {
        path = journal + ".lock"
        while true {
            let descriptor = try JournalFile.open(path)
            do throws(StoreError) {
                try Self.lock(descriptor)
            } catch {
                _ = close(descriptor)
                throw error
            }
            if Self.isNamed(path, descriptor) {
                self.descriptor = descriptor
                return
            }
            // Its holder removed it before this one had it.
            _ = close(descriptor)
        }
    }

    deinit {
        _ = JournalFile.remove(path)
        // Not by closing alone: while another thread starts a program, that has a copy of the descriptor for a moment.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    private static func lock(_ descriptor: CInt) throws(StoreError) {
        // Not fcntl's kind of lock, which does not tell two stores of one process from each other.
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            guard code == EWOULDBLOCK else { throw JournalFile.failure("locked", code) }
            throw StoreError(
                .busy,
                "Journal is locked: another store has it open, in this process or another one. "
                    + "Close that store, use it instead, or give this one a journal of its own.")
        }
    }

    /// True when a path still names an open file.
    private static func isNamed(_ path: String, _ descriptor: CInt) -> Bool {
        var named = stat()
        var open = stat()
        return stat(path, &named) == 0 && fstat(descriptor, &open) == 0 && named.st_ino == open.st_ino
            && named.st_dev == open.st_dev
    }
}
