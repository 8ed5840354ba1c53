import Synchronization
import Transport

/// A refresh in flight, as the tasks see it that run for it: a wait of theirs for its credential would not end.
package final class RunningRefresh: Sendable {
    @TaskLocal private static var all: [RunningRefresh] = []

    // Valid while `isRunning`, since the task of the refresh retains the cache.
    private let cache: ObjectIdentifier
    private let isRunning = Atomic(true)

    private init(_ cache: AnyObject) { self.cache = ObjectIdentifier(cache) }

    /// True in the task of a refresh of a cache, and in tasks that it has started, until the refresh has finished.
    static func isCurrent(of cache: AnyObject) -> Bool {
        all.contains { $0.cache == ObjectIdentifier(cache) && $0.isRunning.load(ordering: .acquiring) }
    }

    /// Runs a refresh of a cache.
    static func run<Value>(for cache: AnyObject, _ refresh: () async throws -> Value) async rethrows -> Value {
        let running = RunningRefresh(cache)
        // Tasks that outlive a refresh, such as a timer that it has started, pass it on to later refreshes.
        let others = all.filter { $0.isRunning.load(ordering: .acquiring) }
        defer { running.isRunning.store(false, ordering: .releasing) }
        return try await $all.withValue(others + [running]) { try await refresh() }
    }

    /// Calls code of the app, which no refresh waits for: calls that it starts wait for credentials as usual.
    package static func leave(_ callback: () -> Void) { $all.withValue([]) { callback() } }
}
