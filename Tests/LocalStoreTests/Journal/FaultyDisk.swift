import Foundation
import Synchronization
import SystemLibraries

@testable import LocalStore

/// System calls of a journal with injected faults, and a model of its file after a power failure.
final class FaultyDisk: Sendable {
    enum Call: CaseIterable { case write, truncate, synchronize, rename }

    private struct State {
        /// True if a call fails, given the number of calls since ``fail(with:where:)``.
        var fails: @Sendable (Call, Int) -> Bool = { _, _ in false }
        var code: CInt = EIO
        var counts: [Call: Int] = [:]
        var total = 0
        /// Durable content of each file.
        var contents: [FileStatus.Identity: Data] = [:]
        /// The file that durably has the journal's name.
        var named: FileStatus.Identity?
    }

    private let state = Mutex(State())
    private let path: String

    init(journal path: String) { self.path = path }

    /// Starts to fail calls.
    /// - Parameters:
    ///   - code: the value of `errno`.
    ///   - condition: given a call and the number of calls before it, of all kinds, returns true to fail it.
    func fail(with code: CInt, where condition: @escaping @Sendable (Call, Int) -> Bool) {
        state.withLock { state in
            state.fails = condition
            state.code = code
            state.total = 0
        }
    }

    func work() { fail(with: 0) { _, _ in false } }

    /// Number of calls since ``fail(with:where:)``.
    var callCount: Int { state.withLock { $0.total } }
    func count(of call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }

    /// Content of the journal after a power failure; nil if the file would not exist.
    var durable: Data? { state.withLock { state in state.named.map { state.contents[$0] ?? Data() } } }

    var calls: JournalDisk {
        let system = JournalDisk.system
        return JournalDisk(
            write: { file, bytes, offset in
                if offset == 0, let identity = FileStatus(of: file)?.identity {
                    self.state.withLock { $0.contents[identity] = Data() }
                }
                guard self.passes(.write) else {
                    // A partial write comes before the failure.
                    _ = system.write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2)), offset)
                    errno = self.code
                    return -1
                }
                // A short write.
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
        guard let status = FileStatus(of: file) else { return }
        if status.kind == .folder {
            let named = try? FileStatus(at: path).identity
            state.withLock { $0.named = named }
        } else {
            var content = Data(count: Int(status.size))
            let count = content.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
            state.withLock { $0.contents[status.identity] = content.prefix(count) }
        }
    }
}
