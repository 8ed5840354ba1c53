import Synchronization

/// Tells readers that something has changed. Signals that a reader has not taken yet are merged into one.
final class ChangeSignals: Sendable {
    private struct State {
        var readers: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var lastID: UInt64 = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// A signal now, and one after each change. It ends with ``finish()``.
    func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        let (id, isFinished) = state.withLock { state in
            state.lastID += 1
            if !state.isFinished { state.readers[state.lastID] = continuation }
            return (state.lastID, state.isFinished)
        }
        if isFinished { continuation.finish() }
        continuation.onTermination = { [weak self] _ in
            // Released after unlocking.
            _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
        }
        return stream
    }

    /// True after ``finish()``.
    var isFinished: Bool { state.withLock(\.isFinished) }

    func signal() { for reader in state.withLock({ Array($0.readers.values) }) { reader.yield() } }

    /// Ends all streams, after their last signal.
    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}
