import Synchronization
import Transport

/// A refresh in flight, as the tasks see it that run for it: a wait of theirs for its credential would not end.
package final class RunningRefresh: Sendable {
    @TaskLocal private static var all: [RunningRefresh] = []

    // Valid while `isRunning`, since the task of the refresh retains the caches.
    private let caches: [ObjectIdentifier]
    private let demand: RefreshDemand?
    private let isRunning = Atomic(true)

    private init(_ caches: [ObjectIdentifier], _ demand: RefreshDemand?) {
        self.caches = caches
        self.demand = demand
    }

    /// The refreshes of the current task that have not finished.
    private static var running: [RunningRefresh] { all.filter { $0.isRunning.load(ordering: .acquiring) } }

    /// True in the task of a cache's refresh, and in tasks started by it, until the refresh has finished.
    package static func isCurrent(of cache: AnyObject) -> Bool {
        running.contains { $0.caches.contains(ObjectIdentifier(cache)) }
    }

    /// The demand for the innermost refresh of the current task; nil outside of refreshes.
    package static var demand: RefreshDemand? { running.lazy.compactMap(\.demand).last }

    /// Runs a refresh of a cache, or other work for which the credentials of the cache wait.
    /// - Parameter demand: the calls that wait for the refresh; nil if the caller itself waits for it.
    package static func run<Value>(
        for cache: AnyObject, demand: RefreshDemand? = nil, _ refresh: () async throws -> Value
    ) async rethrows -> Value {
        let running = RunningRefresh([ObjectIdentifier(cache)], demand)
        // Tasks that outlive a refresh, such as a timer that it has started, pass it on to later refreshes.
        let others = Self.running
        defer { running.finish() }
        return try await $all.withValue(others + [running]) { try await refresh() }
    }

    /// A question to the app for which the current refreshes wait: calls that its callback starts are theirs until
    /// ``finish()``.
    /// - Parameter subject: what the question is about besides the refreshes, as an argument of ``isCurrent(of:)``.
    package static func question(about subject: AnyObject? = nil) -> RunningRefresh {
        RunningRefresh(running.flatMap(\.caches) + [subject].compactMap { $0.map { ObjectIdentifier($0) } }, nil)
    }

    /// Ends the refresh, or the question.
    package func finish() { isRunning.store(false, ordering: .releasing) }

    /// Calls code of the app that answers this question.
    package func perform(_ callback: () -> Void) { Self.$all.withValue([self]) { callback() } }

    /// Calls code of the app, which no refresh waits for: calls that it starts wait for credentials as usual.
    package static func leave(_ callback: () -> Void) { $all.withValue([]) { callback() } }
}
