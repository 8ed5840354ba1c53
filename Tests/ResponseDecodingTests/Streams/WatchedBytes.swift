import Foundation
import Synchronization

/// Sequence of chunks that records reads and the deallocation of its iterator.
struct WatchedBytes<Failure: Error>: AsyncSequence, Sendable {
    typealias Element = Data

    final class Log: Sendable {
        private let counts = Mutex((read: 0, alive: 0))
        var read: Int { counts.withLock { $0.read } }
        var alive: Int { counts.withLock { $0.alive } }
        fileprivate func note(read: Int = 0, alive: Int = 0) {
            counts.withLock { $0 = ($0.read + read, $0.alive + alive) }
        }
    }

    let log = Log()
    let pieces: [Data]
    /// The error after the last chunk; nil for none.
    let failure: Failure?

    func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces[...], failure: failure, token: Token(log: log)) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var pieces: ArraySlice<Data>
        fileprivate let failure: Failure?
        fileprivate let token: Token

        mutating func next() async throws(Failure) -> Data? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Data? {
            token.log.note(read: 1)
            await Task.yield()
            if let piece = pieces.popFirst() { return piece }
            if let failure { throw failure }
            return nil
        }
    }

    fileprivate final class Token: Sendable {
        let log: Log
        init(log: Log) {
            self.log = log
            log.note(alive: 1)
        }
        deinit { log.note(alive: -1) }
    }
}

extension WatchedBytes where Failure == Never {
    init(_ pieces: [String]) { self.init(pieces: pieces.map { Data($0.utf8) }, failure: nil) }
}

struct BrokenOff: Error, Hashable {}

extension WatchedBytes where Failure == BrokenOff {
    init(_ pieces: [String], breakingOff failure: BrokenOff = BrokenOff()) {
        self.init(pieces: pieces.map { Data($0.utf8) }, failure: failure)
    }
}
