import Coordination
import Synchronization

/// URLs that are being removed, or could not be removed; nothing is found for them until they are.
///
/// A storage fails to remove them while the app writes for long. Then the next look-up does so in the background.
final class UnremovedURLs: Sendable {
    typealias Outcome = Result<Int64?, any Error>

    private static let maximumCount = 10_000
    /// The pause after a removal that failed, in seconds: what fails at once, as with a full disk, would fail again.
    private static let pause = 1.0

    private struct State {
        /// The URLs, each with the number of its last removal.
        var urls: [String: Int] = [:]
        /// True once there were too many: then all responses are removed.
        var isAll = false
        var removals = 0
        /// The tasks that remove.
        var tasks: [Int: Task<Void, Never>] = [:]
        /// The number of tasks by URL.
        var running: [String: Int] = [:]
        /// The failure of the last one that no call has waited for, for the next look-up.
        var failure: CacheEvent?
        /// The time of the last one.
        var failureTime = -Double.infinity

        mutating func note(_ url: String) {
            if urls[url] != nil || urls.count < UnremovedURLs.maximumCount {
                urls[url] = removals
            } else {
                isAll = true
            }
        }
    }

    private let state = Mutex(State())

    /// Notes a URL.
    func add(_ url: String) {
        state.withLock { state in
            state.removals += 1
            state.note(url)
        }
    }

    func contains(_ url: String) -> Bool { state.withLock { $0.isAll || $0.urls[url] != nil } }

    /// Removes URLs in a task of its own; what fails stays noted.
    /// - Parameter ticket: as that of ``CacheStorage/removeAll(urls:since:)``.
    /// - Returns: the outcome. If the caller gives up and fulfills it, a later failure is left for the next look-up.
    func remove(_ urls: Set<String>, since ticket: Int64, in cache: HTTPCache) -> Promise<Outcome> {
        let outcome = Promise<Outcome>()
        state.withLock { state in
            state.removals += 1
            for url in urls { state.note(url) }
            let number = state.removals
            start(&state, urls, in: cache) { [self] in
                do {
                    let ticket = try await cache.storage.removeAll(urls: urls, since: ticket)
                    removed(urls, number)
                    outcome.fulfill(.success(ticket))
                } catch {
                    guard outcome.fulfill(.failure(error)) else { throw error }
                }
            }
        }
        return outcome
    }

    private func removed(_ urls: Set<String>, _ number: Int) {
        state.withLock { state in
            // A greater number is that of a later removal.
            for url in urls where state.urls[url] == number { state.urls[url] = nil }
        }
    }

    /// Removes a URL, or all if there were too many, unless it has been done meanwhile.
    /// - Throws: the error of the storage; the URL is still noted then.
    func retry(_ url: String, in storage: any CacheStorage) async throws {
        let (isAll, removals, known) = state.withLock { ($0.isAll, $0.removals, $0.urls[url]) }
        if isAll {
            try await storage.removeAll(partition: nil)
        } else if known != nil {
            try await storage.removeAll(url: url)
        }
        state.withLock { state in
            // A removal since then may have failed.
            if isAll, state.removals == removals { (state.urls, state.isAll) = ([:], false) }
            if !isAll, state.urls[url] == known { state.urls[url] = nil }
        }
    }

    /// Removes a URL in a task of its own, unless one does so, or the last removal has just failed.
    ///
    /// A call does not wait for a store that may still be busy.
    func retryInBackground(_ url: String, in cache: HTTPCache) {
        let now = cache.now()
        state.withLock { state in
            let key = state.isAll ? "" : url
            // A clock that was set back does not end the pause later.
            guard state.running[key] == nil, abs(now - state.failureTime) >= Self.pause else { return }
            start(&state, [key], in: cache) { [self] in try await retry(url, in: cache.storage) }
        }
    }

    private func start(
        _ state: inout State, _ keys: Set<String>, in cache: HTTPCache,
        _ removal: @escaping @Sendable () async throws -> Void
    ) {
        state.removals += 1
        let number = state.removals
        for key in keys { state.running[key, default: 0] += 1 }
        state.tasks[number] = Task(executorPreference: WorkerThreads.calls) { [self] in
            var failure: CacheEvent?
            do { try await removal() } catch { failure = cache.failed(error) }
            finish(number, keys, failure, at: cache.now())
        }
    }

    private func finish(_ number: Int, _ keys: Set<String>, _ failure: CacheEvent?, at time: Double) {
        state.withLock { state in
            state.tasks[number] = nil
            for key in keys {
                let count = (state.running[key] ?? 1) - 1
                state.running[key] = count > 0 ? count : nil
            }
            guard let failure else { return }
            (state.failure, state.failureTime) = (failure, time)
        }
    }

    /// The failure of the last removal in the background, once.
    func takeFailure() -> CacheEvent? { state.withLock { $0.failure.take() } }

    /// Waits for the removals that run.
    func waitUntilIdle() async {
        while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    }
}
