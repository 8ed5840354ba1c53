import Foundation
import StoreCore
import SystemLibraries

/// Advisory lock (`flock`) that gives one store exclusive use of a journal on this machine.
///
/// It is released with the last reference, and when the process exits or is killed. The lock is on a separate `.lock`
/// file, because rotation replaces the journal file itself. Only the holder deletes that file, and a lock is valid only
/// while the path still names the locked file, so two stores cannot hold different files of one name. A killed process
/// leaves the file behind; the next store locks and later deletes it.
final class JournalLock: Sendable {
    private let descriptor: CInt
    private let path: String

    /// - Throws: `StoreError`: `busy` when another store holds it; `io`.
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
            // The previous holder deleted the file between open and lock; try again.
            _ = close(descriptor)
        }
    }

    deinit {
        _ = JournalFile.remove(path)
        // Unlocks explicitly: a child process that another thread is starting may briefly share the descriptor.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    /// - Throws: `StoreError`: `busy` when another descriptor has the lock; `io`.
    static func lock(_ descriptor: CInt) throws(StoreError) {
        // Not fcntl locks: they belong to the process and would not separate two of its stores.
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            guard code == EWOULDBLOCK else { throw JournalFile.failure("lock", code) }
            throw StoreError(
                .busy,
                "Journal is locked: another store has it open, in this process or another one; "
                    + "close that store, use it instead, or choose another path.")
        }
    }

    /// True when the path still names the open file.
    static func isNamed(_ path: String, _ descriptor: CInt) -> Bool {
        guard let open = FileStatus(of: descriptor), let named = try? FileStatus(at: path) else { return false }
        return named.identity == open.identity
    }
}
