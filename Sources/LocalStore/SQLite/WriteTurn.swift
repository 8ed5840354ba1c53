import Dispatch
import Synchronization
import SystemLibraries

/// Whose turn it is to use what only one thread may use, and the thing itself: a fair lock that knows its thread, is
/// waited for only so long, and hands out what it guards, so that nothing is locked while it is used.
///
/// A thread that has the turn may keep it over several calls; they join. A call from within a call is refused, since
/// both would use the same thing.
final class WriteTurn<Resource: ~Copyable & Sendable>: Sendable {
    private struct Waiter {
        let thread: ThreadIdentity
        let wake: DispatchSemaphore
    }

    private struct State: ~Copyable {
        var resource: Resource?
        var owner: ThreadIdentity?
        var isInCall = false
        var isClosed = false
        var waiters: [Waiter] = []
    }

    private enum Step { case own, join, nested, closed, wait(DispatchSemaphore) }

    private let state: Mutex<State>
    /// How long a call waits for its turn.
    let patience: DispatchTimeInterval

    /// - Parameter patience: how long a call waits for its turn.
    init(_ resource: consuming sending Resource, patience: Duration) {
        state = Mutex(State(resource: consume resource))
        let (seconds, attoseconds) = patience.components
        let milliseconds = Double(seconds) * 1e3 + Double(attoseconds) / 1e15
        self.patience = .milliseconds(Int(min(max(milliseconds, 0), 1e9)))
    }

    /// True when the calling thread has the turn.
    var isMine: Bool {
        state.withLock { $0.owner != nil && $0.owner == .current }
    }

    /// Makes one call, in the turn that this thread has, or in one of its own.
    /// - Throws: `StoreError`: `busy`, `closed`, or `misuse` from within a call; what `body` throws.
    @inline(__always)
    func call<Result>(_ body: (inout Resource) throws -> Result) throws -> Result {
        var isOwn = false
        guard var resource = try enter(&isOwn) else { throw ConnectionSlot.closed }
        let result = Swift.Result { try body(&resource) }
        leave(isOwn, resource)
        return try result.get()
    }

    /// Keeps the turn while `body` makes its calls.
    /// - Throws: as ``call(_:)``.
    func hold<Result>(_ body: () throws -> Result) throws -> Result {
        var isOwn = false
        guard let resource = try enter(&isOwn) else { throw ConnectionSlot.closed }
        endCall(resource)
        defer { if isOwn { pass() } }
        return try body()
    }

    /// Lets nobody have a turn any more, and gives the thing away.
    /// - Throws: `StoreError`: `busy`, or `misuse` from within a call; all stays as it is then.
    func close() throws(StoreError) {
        var isOwn = false
        guard let resource = try enter(&isOwn) else { return }
        _ = consume resource
        state.withLock { $0.isClosed = true }
        if isOwn { pass() } else { state.withLock { $0.isInCall = false } }
    }

    /// Takes the turn, or joins it, and takes what it guards.
    /// - Parameter isOwn: becomes true when the turn begins here and so must end here.
    /// - Returns: nil when it was closed.
    private func enter(_ isOwn: inout Bool) throws(StoreError) -> Resource? {
        let me = ThreadIdentity.current
        var resource: Resource?
        let step: Step = state.withLock { state in
            if state.isClosed { return .closed }
            if let owner = state.owner {
                if owner != me {
                    let waiter = Waiter(thread: me, wake: DispatchSemaphore(value: 0))
                    state.waiters.append(waiter)
                    return .wait(waiter.wake)
                }
                if state.isInCall { return .nested }
            }
            let isFree = state.owner == nil
            state.owner = me
            state.isInCall = true
            resource = state.resource.take()
            return isFree ? .own : .join
        }
        switch step {
        case .own: isOwn = true
        case .join: break
        case .closed: return nil
        case .nested:
            throw StoreError(
                .misuse, "A row's callback calls the store that reads the row; make the call after the query.")
        case .wait(let wake):
            try wait(for: wake)
            isOwn = true
            resource = state.withLock { $0.resource.take() }
            // It was closed by the one before.
            if resource == nil { pass() }
        }
        return resource
    }

    private func wait(for wake: DispatchSemaphore) throws(StoreError) {
        if wake.wait(timeout: .now() + patience) == .success { return }
        // It may have become this one's turn just now.
        let isMine = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.wake === wake }) else { return true }
            state.waiters.remove(at: index)
            return false
        }
        if !isMine {
            throw StoreError(
                .busy, "The database is locked: another thread writes. Retry later, or raise `busyTimeout`.")
        }
    }

    private func leave(_ isOwn: Bool, _ resource: consuming Resource) {
        var resource: Resource? = consume resource
        let next: DispatchSemaphore? = state.withLock { state in
            state.resource = resource.take()
            return isOwn ? Self.pass(&state) : Self.endCall(&state)
        }
        next?.signal()
    }

    private func endCall(_ resource: consuming Resource) {
        var resource: Resource? = consume resource
        state.withLock { state in
            state.resource = resource.take()
            state.isInCall = false
        }
    }

    private func pass() {
        let next = state.withLock { Self.pass(&$0) }
        next?.signal()
    }

    /// The turn goes straight to who waited longest, so that nobody can jump in.
    private static func pass(_ state: inout State) -> DispatchSemaphore? {
        let next = state.waiters.isEmpty ? nil : state.waiters.removeFirst()
        state.owner = next?.thread
        state.isInCall = next != nil
        return next?.wake
    }

    private static func endCall(_ state: inout State) -> DispatchSemaphore? {
        state.isInCall = false
        return nil
    }
}
