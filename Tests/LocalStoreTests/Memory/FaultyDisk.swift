import Foundation
import Synchronization

@testable import LocalStore

/// The calls of a journal to the system, of which some fail, and what would be left of its file after a power failure.
final class FaultyDisk: Sendable {
    enum Call: CaseIterable { case write, truncate, synchronize, rename }

    private struct State {
        /// Whether the call of this number, counted from the last ``fail(with:where:)`` on, fails.
        var fails: @Sendable (Call, Int) -> Bool = { _, _ in false }
        var code: CInt = EIO
        var counts: [Call: Int] = [:]
        var total = 0
        /// What the disk has of each file, by its inode.
        var contents: [UInt64: Data] = [:]
        /// The file that has the journal's name on the disk.
        var named: UInt64?
    }

    private let state = Mutex(State())
    private let path: String

    init(journal path: String) { self.path = path }

    /// From now on lets calls fail.
    /// - Parameters:
    ///   - code: what `errno` is then.
    ///   - condition: says it of a call, and how many there were before it, of all kinds.
    func fail(with code: CInt, where condition: @escaping @Sendable (Call, Int) -> Bool) {
        state.withLock { state in
            state.fails = condition
            state.code = code
            state.total = 0
        }
    }

    func work() { fail(with: 0) { _, _ in false } }

    /// How many calls there were since ``fail(with:where:)``.
    var callCount: Int { state.withLock { $0.total } }
    func count(of call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }

    /// What the journal would be after a power failure; nil when it would not be there.
    var durable: Data? { state.withLock { state in state.named.map { state.contents[$0] ?? Data() } } }

    var calls: JournalDisk {
        let system = JournalDisk.system
        return JournalDisk(
            write: { file, bytes, offset in
                if offset == 0 { self.state.withLock { $0.contents[Self.status(file).inode] = Data() } }
                guard self.passes(.write) else {
                    // A part of it was written before.
                    _ = system.write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2)), offset)
                    errno = self.code
                    return -1
                }
                // Not all at once.
                return system.write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(700)), offset)
            },
            truncate: { file, size in
                guard self.passes(.truncate) else { return self.failure }
                return system.truncate(file, size)
            },
            synchronize: { file in
                guard self.passes(.synchronize) else { return self.failure }
                self.didSynchronize(file)
                return 0
            },
            rename: { path, other in
                guard self.passes(.rename) else { return self.failure }
                return system.rename(path, other)
            })
    }

    private var code: CInt { state.withLock { $0.code } }

    private var failure: CInt {
        errno = code
        return -1
    }

    private func passes(_ call: Call) -> Bool {
        state.withLock { state in
            defer {
                state.total += 1
                state.counts[call, default: 0] += 1
            }
            return !state.fails(call, state.total)
        }
    }

    private func didSynchronize(_ file: CInt) {
        let status = Self.status(file)
        if status.isFolder {
            let named = (try? FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber]) as? NSNumber
            state.withLock { $0.named = named?.uint64Value }
        } else {
            var content = Data(count: status.size)
            let count = content.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
            state.withLock { $0.contents[status.inode] = content.prefix(count) }
        }
    }

    private static func status(_ file: CInt) -> (inode: UInt64, size: Int, isFolder: Bool) {
        var status = stat()
        fstat(file, &status)
        return (UInt64(status.st_ino), Int(status.st_size), status.st_mode & S_IFMT == S_IFDIR)
    }
}
