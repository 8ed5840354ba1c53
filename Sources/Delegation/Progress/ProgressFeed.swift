import Synchronization
public import Transport

/// A source of the progress of one call, for any number of readers.
public final class ProgressFeed: TransferObserver {
    private struct State {
        var newest = NewestProgress()
        var isFinished = false
        var nextID = 0
        var readers: [Int: ProgressReader] = [:]
    }

    private let state = Mutex(State())
    private let filter = ProgressFilter()

    /// Creates a feed.
    public init() {}

    deinit { finish() }

    /// The progress from now on, for a new reader, which starts with the newest values.
    public var updates: ProgressUpdates {
        ProgressUpdates { reader in
            let id = state.withLock { state -> Int? in
                // Together, so that a report between the two is not lost.
                reader.start(with: state.newest)
                guard !state.isFinished else { return nil }
                state.nextID += 1
                state.readers[state.nextID] = reader
                return state.nextID
            }
            guard let id else { return reader.finish() }
            reader.onEnd { [weak self] in self?.remove(id) }
        }
    }

    /// Passes on the progress of an event, as `ProgressObserver` does.
    public func transfer(didEmit event: TransferEvent) {
        if let progress = filter.progress(of: event) { report(progress) }
    }

    /// Passes progress to all readers; no effect after the end.
    public func report(_ progress: TransferProgress) {
        let readers = state.withLock { state in
            guard !state.isFinished else { return [Int: ProgressReader]() }
            state.newest.add(progress)
            return state.readers
        }
        for reader in readers.values { reader.add(progress) }
    }

    /// Ends the sequences of all readers, after their last values; releasing the feed does so as well.
    public func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return state.readers
        }
        for reader in readers.values { reader.finish() }
    }

    private func remove(_ id: Int) { state.withLock { _ = $0.readers.removeValue(forKey: id) } }
}
