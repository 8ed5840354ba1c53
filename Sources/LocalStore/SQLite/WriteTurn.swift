import Dispatch
import Synchronization
import SystemLibraries

/// Whose turn it is to use what only one thread may use: a fair lock that is held over callbacks, knows its thread, and
/// is waited for only so long.
///
/// A thread that has the turn keeps it over several calls in a transaction; its calls join. A call from within a call
/// is refused, since both would use one connection.
final class WriteTurn: Sendable {
    private struct Waiter {
        let thread: ThreadIdentity
        let wake: DispatchSemaphore
    }

    private struct State {
        var owner: ThreadIdentity?
        var isInCall = false
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())
    /// How long a call waits for its turn.
    let patience: DispatchTimeInterval

    /// - Parameter patience: how long a call waits for its turn.
    init(patience: Duration) {
        let (seconds, attoseconds) = patience.components
        let milliseconds = Double(seconds) * 1e3 + Double(attoseconds) / 1e15
        self.patience = .milliseconds(Int(min(max(milliseconds, 0), 1e9)))
    }

    /// True when the calling thread has the turn.
    var isMine: Bool {
        state.withLock { $0.owner != nil && $0.owner == .current }
    }

    /// Makes one call, in the turn that this thread has, or in one of its own.
    func call<Result>(_ body: () throws -> Result) throws -> Result {
        let isOwn = try enter()
        defer { leave(isOwn) }
        return try body()
    }

    /// Keeps the turn while `body` makes its calls.
    func hold<Result>(_ body: () throws -> Result) throws -> Result {
        let isOwn = try enter()
        state.withLock { $0.isInCall = false }
        defer { if isOwn { leave(true) } }
        return try body()
    }

    /// - Returns: true when the turn begins here and so must end here.
    private func enter() throws(StoreError) -> Bool {
        let me = ThreadIdentity.current
        enum Step { case own, join, nested, wait(DispatchSemaphore) }
        let step: Step = state.withLock { state in
            switch state.owner {
            case nil:
                state.owner = me
                state.isInCall = true
                return .own
            case me:
                if state.isInCall { return .nested }
                state.isInCall = true
                return .join
            default:
                let waiter = Waiter(thread: me, wake: DispatchSemaphore(value: 0))
                state.waiters.append(waiter)
                return .wait(waiter.wake)
            }
        }
        switch step {
        case .own: return true
        case .join: return false
        case .nested:
            throw StoreError(
                .misuse, "A row's callback calls the store that reads the row; make the call after the query.")
        case .wait(let wake):
            if wake.wait(timeout: .now() + patience) == .success { return true }
            // It may have become this one's turn just now.
            let isMine = state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0.wake === wake }) else { return true }
                state.waiters.remove(at: index)
                return false
            }
            if isMine { return true }
            throw StoreError(.busy, "Another thread writes for longer than this call waits; try again later.")
        }
    }

    private func leave(_ isOwn: Bool) {
        let next: DispatchSemaphore? = state.withLock { state in
            guard isOwn else {
                state.isInCall = false
                return nil
            }
            // The turn goes straight to who waited longest, so that nobody can jump in.
            let next = state.waiters.isEmpty ? nil : state.waiters.removeFirst()
            state.owner = next?.thread
            state.isInCall = next != nil
            return next?.wake
        }
        next?.signal()
    }
}
