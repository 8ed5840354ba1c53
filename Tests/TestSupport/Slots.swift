import Synchronization

/// A counting semaphore for tasks, first in, first out.
final class Slots: Sendable {
    private struct Waiter {
        let wanted: Int
        let continuation: CheckedContinuation<Void, Never>
    }
    private struct State {
        var free: Int
        var waiters: [Waiter] = []

        /// Removes the waiters that can get their slots. A waiter for several slots blocks those behind it, so it
        /// cannot starve.
        mutating func popReady() -> [Waiter] {
            var ready: [Waiter] = []
            while let first = waiters.first, first.wanted <= free {
                free -= first.wanted
                ready.append(waiters.removeFirst())
            }
            return ready
        }
    }

    private let count: Int
    private let state: Mutex<State>

    init(_ count: Int) {
        self.count = count
        state = Mutex(State(free: count))
    }

    var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// Runs `body` with one slot. Cancellation does not end the wait for it.
    func withSlot<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await acquire()
        defer { release() }
        return try await body()
    }

    /// Runs `body` with all slots.
    func withAllSlots<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await acquire(count)
        defer { release(count) }
        return try await body()
    }

    private func acquire(_ wanted: Int = 1) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.waiters.append(Waiter(wanted: wanted, continuation: continuation))
                return state.popReady()
            }
            for waiter in ready { waiter.continuation.resume() }
        }
    }

    private func release(_ returned: Int = 1) {
        let ready = state.withLock { state in
            state.free += returned
            return state.popReady()
        }
        for waiter in ready { waiter.continuation.resume() }
    }
}
