import Coordination
import Synchronization

/// The URLs that a storage failed to remove, such as while the app writes for long: they are removed in the background
/// at the next look-up, and until then nothing is found for them.
final class UnremovedURLs: Sendable {
    private static let maximumCount = 10_000
    /// The pause after a removal that failed, in seconds: what fails at once, as with a full disk, would fail again.
    private static let pause = 1.0

    private struct State {
        /// The URLs, each with the number of its last failure.
        var urls: [String: Int] = [:]
        /// True once there were too many: then all responses are removed.
        var isAll = false
        var failures = 0
        /// The removals that run.
        var retries: [String: Task<Void, Never>] = [:]
        /// The failure of the last one, for the next look-up.
        var failure: CacheEvent?
        /// The time of the last one.
        var failureTime = -Double.infinity
    }

    private let state = Mutex(State())

    /// Notes a failure.
    func add(_ url: String) {
        state.withLock { state in
            state.failures += 1
            if state.urls[url] != nil || state.urls.count < Self.maximumCount {
                state.urls[url] = state.failures
            } else {
                state.isAll = true
            }
        }
    }

    func contains(_ url: String) -> Bool { state.withLock { $0.isAll || $0.urls[url] != nil } }

    /// Removes a URL, or all if there were too many, unless it has been done meanwhile.
    /// - Throws: the error of the storage; the URL is still noted then.
    func retry(_ url: String, in storage: any CacheStorage) async throws {
        let (isAll, failures, known) = state.withLock { ($0.isAll, $0.failures, $0.urls[url]) }
        if isAll {
            try await storage.removeAll(partition: nil)
        } else if known != nil {
            try await storage.removeAll(url: url)
        }
        state.withLock { state in
            // A failure since then is about a later removal.
            if isAll, state.failures == failures { (state.urls, state.isAll) = ([:], false) }
            if !isAll, state.urls[url] == known { state.urls[url] = nil }
        }
    }

    /// Removes a URL in a task of its own, unless the last removal has just failed: a call does not wait for a store
    /// that may still be busy.
    func retryInBackground(_ url: String, in cache: HTTPCache) {
        let now = cache.now()
        state.withLock { state in
            let key = state.isAll ? "" : url
            // A clock that was set back does not end the pause later.
            guard state.retries[key] == nil, abs(now - state.failureTime) >= Self.pause else { return }
            state.retries[key] = Task(executorPreference: WorkerThreads.calls) { [self] in
                var failure: CacheEvent?
                do { try await retry(url, in: cache.storage) } catch { failure = cache.failed(error) }
                let end = cache.now()
                self.state.withLock { [failure] state in
                    state.retries[key] = nil
                    guard let failure else { return }
                    (state.failure, state.failureTime) = (failure, end)
                }
            }
        }
    }

    /// The failure of the last removal in the background, once.
    func takeFailure() -> CacheEvent? { state.withLock { $0.failure.take() } }

    /// Waits for the removals that run.
    func waitUntilIdle() async {
        while let task = state.withLock({ $0.retries.values.first }) { await task.value }
    }
}
