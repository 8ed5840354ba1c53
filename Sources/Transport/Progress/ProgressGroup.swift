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
/// still counts. Thread-safe.
public final class ProgressGroup: Sendable {
    /// What all groups of a tree share.
    private final class Shared: Sendable {
        struct State {
            var tree = ProgressTree()
            var rates: [ProgressTree.ID: TransferRate] = [:]
            /// Each keeps its group.
            var readers: [UInt64: (ProgressGroup, AsyncStream<GroupProgress>.Continuation)] = [:]
            var lastReader: UInt64 = 0
        }

        let state = Mutex(State())
        let clock: AnyMonotonicClock

        init(_ clock: AnyMonotonicClock) { self.clock = clock }

        func progress(of id: ProgressTree.ID) -> GroupProgress {
            let now = clock.now
            return state.withLock { Self.progress(of: id, in: &$0, now) }
        }

        func update(_ change: (inout ProgressTree) -> Void) {
            let now = clock.now
            let updates = state.withLock { state in
                change(&state.tree)
                return state.readers.values.map { group, reader in
                    (reader, Self.progress(of: group.id, in: &state, now))
                }
            }
            for (reader, progress) in updates { reader.yield(progress) }
        }

        private static func progress(of id: ProgressTree.ID, in state: inout State, _ now: Duration) -> GroupProgress {
            var progress = state.tree.progress(of: id)
            state.rates[id, default: TransferRate()].add(progress.bytes, at: now)
            progress.bytesPerSecond = state.rates[id]?.bytesPerSecond(at: now)
            return progress
        }
    }

    private let shared: Shared
    private let id: ProgressTree.ID
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
        shared.state.withLock { state in
            state.tree.remove(id)
            state.rates[id] = nil
        }
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
        let (shared, id) = (shared, id)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = shared.state.withLock { state in
                state.lastReader += 1
                state.readers[state.lastReader] = (self, continuation)
                return state.lastReader
            }
            continuation.yield(shared.progress(of: id))
            continuation.onTermination = { _ in
                // Released after unlocking.
                _ = shared.state.withLock { $0.readers.removeValue(forKey: number) }
            }
        }
    }
}
