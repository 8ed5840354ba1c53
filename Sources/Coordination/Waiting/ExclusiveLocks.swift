import Synchronization

/// Exclusive use of keys, such as tables, by async calls in the order of their arrival. Thread-safe.
package final class ExclusiveLocks<Key: Hashable & Sendable>: Sendable {
    /// The keys that a call holds until ``release()``, which it calls once.
    package struct Hold: Sendable {
        fileprivate let locks: ExclusiveLocks
        fileprivate let id: UInt64

        package func release() {
            for waiter in locks.queue.withLock({ $0.release(id) }) { waiter.fulfill(true) }
        }
    }

    private let queue = Mutex(ExclusiveQueue<Key, Promise<Bool>>())

    package init() {}

    /// The number of waiting calls.
    package var waiterCount: Int { queue.withLock(\.waiterCount) }

    /// Waits until no earlier call holds or awaits one of the keys.
    /// - Throws: `CancellationError` when the task is cancelled before or meanwhile.
    package func lock(_ keys: Set<Key>) async throws(CancellationError) -> Hold {
        guard !Task.isCancelled else { throw CancellationError() }
        let turn = Promise<Bool>()
        let id = queue.withLock { queue in
            let id = queue.makeID()
            if queue.add(id, keys, turn) { turn.fulfill(true) }
            return id
        }
        guard await turn.value(onCancel: { cancel(id) }) else { throw CancellationError() }
        return Hold(locks: self, id: id)
    }

    /// Takes keys that are free; nil if a call holds or awaits one of them.
    package func lockIfFree(_ keys: Set<Key>) -> Hold? {
        queue.withLock { queue in
            let id = queue.makeID()
            return queue.add(id, keys, nil) ? Hold(locks: self, id: id) : nil
        }
    }

    private func cancel(_ id: UInt64) {
        guard let (cancelled, started) = queue.withLock({ $0.cancel(id) }) else { return }
        cancelled.fulfill(false)
        for waiter in started { waiter.fulfill(true) }
    }
}
