import Synchronization

/// The URLs that a storage failed to remove, such as while the app writes for long: they are removed before the next
/// look-up, and until then nothing is found for them.
final class UnremovedURLs: Sendable {
    private static let maximumCount = 10_000

    private struct State {
        var urls: Set<String> = []
        /// True once there were too many: then it is every URL.
        var isAll = false
    }

    private let state = Mutex(State())

    func add(_ url: String) {
        state.withLock { state in
            if state.urls.count < Self.maximumCount { state.urls.insert(url) } else { state.isAll = true }
        }
    }

    func contains(_ url: String) -> Bool { state.withLock { $0.isAll || $0.urls.contains(url) } }

    func remove(_ url: String) { state.withLock { _ = $0.urls.remove(url) } }
}
