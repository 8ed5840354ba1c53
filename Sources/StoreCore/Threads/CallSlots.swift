import Coordination
import Dispatch
import Synchronization

/// The right of an async call to one of a fixed number of threads. A call waits for it suspended, in FIFO order.
///
/// A job in the queue of the threads could neither be cancelled nor time out.
final class CallSlots: Sendable {
    private typealias Waiter = Promise<Result<Void, StoreError>>

    private let state: Mutex<CallSlotsState<Waiter>>
    /// A serial queue has a thread of its own when all others are blocked.
    private static let timer = DispatchQueue(label: "patchbay.store.timeouts")

    init(count: Int) { state = Mutex(CallSlotsState(count: count)) }

    /// The number of waiting calls.
    var waitingCount: Int { state.withLock(\.waitingCount) }

    /// Waits for a slot, which the caller returns with ``release()``.
    /// - Parameter deadline: the end of the wait; nil for no limit.
    /// - Throws: `StoreError`: `interrupted` if the task is cancelled, before or meanwhile, or by ``interruptWaits()``;
    ///   `busy` at the deadline, and `misuse` if the call waits for the transaction that it was made in.
    func acquire(until deadline: DispatchTime? = nil) async throws(StoreError) {
        guard !Task.isCancelled else { throw .interrupted }
        if state.withLock({ $0.acquire() }) { return }
        let slot = Waiter()
        let (number, timer) = state.withLock { state in
            let number = state.makeNumber()
            guard state.acquire() else {
                return (number, state.enqueue(slot, number: number, deadline: deadline?.uptimeNanoseconds))
            }
            slot.fulfill(.success(()))
            return (number, nil)
        }
        if let timer { startTimer(timer) }
        try await slot.success { state.withLock { $0.cancel(number) }?.fulfill(.failure(.interrupted)) }
    }

    /// Returns a slot.
    func release() { state.withLock { $0.release() }?.fulfill(.success(())) }

    /// Ends the waits of all calls with `interrupted`.
    func interruptWaits() {
        for waiter in state.withLock({ $0.removeAll() }) { waiter.fulfill(.failure(.interrupted)) }
    }

    private func startTimer(_ deadline: UInt64) {
        Self.timer.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: deadline)) { [weak self] in self?.expire() }
    }

    private func expire() {
        let (expired, next) = state.withLock { $0.expire(at: DispatchTime.now().uptimeNanoseconds) }
        for waiter in expired { waiter.fulfill(.failure(Self.busy)) }
        if let next { startTimer(next) }
    }

    private static let busy = StoreError(
        .busy,
        "Database is locked: timed out waiting for another async transaction; retry later, or raise `busyTimeout`.")
}
