import Synchronization

/// A counting semaphore for tasks: so many at a time hold a slot, the others wait in the order in which they came.
final class Slots: Sendable {
    private struct Waiter {
        let wanted: Int
        let continuation: CheckedContinuation<Void, Never>
    }
    private struct State {
        var free: Int
        var waiters: [Waiter] = []

        /// Gives slots to those whose turn it is. The first one that needs more than there are keeps the others waiting.
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

    /// Does something with a slot. Cancellation does not end the wait for it: the slot comes.
    func withSlot<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await acquire()
        defer { release() }
        return try await body()
    }

    /// Does something with all slots, which it takes at once when it is its turn.
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
