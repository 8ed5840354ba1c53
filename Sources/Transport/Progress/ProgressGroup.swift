import Coordination
import Synchronization

/// The progress of many calls together, by weight, with bytes, rate and time left.
///
/// ```swift
/// let sync = ProgressGroup()
/// let photos = sync.group(weight: 3)
/// try await sync.run { try await transport.send(order, observer: $0) }
/// for file in files {
///     try await photos.run { try await transport.download(request(file), to: file, observer: $0) }
/// }
/// for await progress in sync.changes { bar.value = progress.fraction }       // in another task
/// ```
///
/// A group may hold groups. A call that has ended, and a group that is released, take no memory; what they have done
/// still counts. A group that is released is whole, also without calls. Thread-safe.
public final class ProgressGroup: Sendable {
    /// What all groups of a tree share.
    fileprivate final class Shared: Sendable {
        struct Reader {
            /// The reader keeps its group.
            let group: ProgressGroup
            let stream: AsyncStream<GroupProgress>.Continuation
            /// The number of the last change that it has got.
            var lastChange: UInt64 = 0
        }

        struct State {
            var tree = ProgressTree()
            var rates: [ProgressTree.ID: TransferRate] = [:]
            var readers: [UInt64: Reader] = [:]
            var lastReader: UInt64 = 0
            /// The number of changes, from 1, so that a new reader is behind.
            var changeCount: UInt64 = 1
            /// True while a thread yields to the readers, which also yields what others change meanwhile.
            var isYielding = false
            /// The latest time: threads measure it before they change something, so one may overtake another.
            var now = Duration.zero
        }

        let state = Mutex(State())
        let clock: AnyMonotonicClock

        init(_ clock: AnyMonotonicClock) { self.clock = clock }

        func progress(of id: ProgressTree.ID) -> GroupProgress {
            let now = clock.now
            return state.withLock { state in
                state.now = max(state.now, now)
                return state.progress(of: id)
            }
        }

        func update(_ change: (inout ProgressTree) -> Void) {
            changeState { state in
                change(&state.tree)
                state.changeCount += 1
            }
        }

        /// Changes the state, and yields the progress to the readers that are behind.
        ///
        /// One thread yields at a time, so that no reader gets an older progress after a newer one.
        func changeState(_ change: (inout State) -> Void) {
            let now = clock.now
            let mustYield = state.withLock { state in
                state.now = max(state.now, now)
                change(&state)
                defer { state.isYielding = true }
                return !state.isYielding
            }
            guard mustYield else { return }
            while let updates = state.withLock({ $0.takeUpdates() }) {
                for (reader, progress) in updates { reader.yield(progress) }
            }
        }
    }

    private let shared: Shared
    fileprivate let id: ProgressTree.ID
    /// The group above it, which lives as long.
    private let parent: ProgressGroup?

    /// Creates a group without calls.
    /// - Parameter clock: measures the rate.
    public convenience init(clock: some Clock<Duration> = ContinuousClock()) {
        self.init(Shared(AnyMonotonicClock(clock)), 0, in: nil)
    }

    private init(_ shared: Shared, _ id: ProgressTree.ID, in parent: ProgressGroup?) {
        (self.shared, self.id, self.parent) = (shared, id, parent)
    }

    deinit {
        shared.update { $0.remove(id) }
        shared.state.withLock { $0.rates[id] = nil }
    }

    /// Adds a group to this one.
    /// - Parameter weight: its part of the work, among the others here; default 1.
    public func group(weight: Double = 1) -> ProgressGroup {
        let id = shared.state.withLock { $0.tree.add(to: self.id, weight: weight, isCall: false) }
        return ProgressGroup(shared, id, in: self)
    }

    /// Runs a call as a part of this group, which is whole when the call has ended.
    /// - Parameters:
    ///   - weight: its part of the work, among the others here; default 1.
    ///   - call: gets the observer to pass to the call.
    public func run<Result>(
        weight: Double = 1, _ call: (any TransferObserver) async throws -> Result
    ) async rethrows -> Result {
        let (shared, id) = (shared, shared.state.withLock { $0.tree.add(to: self.id, weight: weight, isCall: true) })
        shared.update { _ in }
        defer { shared.update { $0.finished(id) } }
        return try await call(.progress { progress in shared.update { $0.transferred(id, progress) } })
    }

    /// The progress now.
    public var progress: GroupProgress { shared.progress(of: id) }

    /// The progress now, and after each change. A slow reader gets the latest one.
    public var changes: AsyncStream<GroupProgress> {
        let shared = shared
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            var number: UInt64 = 0
            shared.changeState { state in
                state.lastReader += 1
                number = state.lastReader
                state.readers[number] = Shared.Reader(group: self, stream: continuation)
            }
            continuation.onTermination = { [number] _ in
                // Released after unlocking.
                _ = shared.state.withLock { $0.readers.removeValue(forKey: number) }
            }
        }
    }
}

extension ProgressGroup.Shared.State {
    fileprivate mutating func progress(of id: ProgressTree.ID) -> GroupProgress {
        var progress = tree.progress(of: id)
        rates[id, default: TransferRate()].add(progress.bytes, at: now)
        progress.bytesPerSecond = rates[id]?.bytesPerSecond(at: now)
        return progress
    }

    /// The progress for each reader that is behind; nil if there is none, after which the next change yields.
    fileprivate mutating func takeUpdates() -> [(AsyncStream<GroupProgress>.Continuation, GroupProgress)]? {
        var updates: [(AsyncStream<GroupProgress>.Continuation, GroupProgress)] = []
        for (number, reader) in readers where reader.lastChange != changeCount {
            readers[number]?.lastChange = changeCount
            updates.append((reader.stream, progress(of: reader.group.id)))
        }
        if updates.isEmpty { isYielding = false }
        return updates.isEmpty ? nil : updates
    }
}
