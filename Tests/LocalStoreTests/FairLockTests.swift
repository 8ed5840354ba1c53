import Dispatch
import Foundation
import Synchronization
import SystemLibraries
import TestSupport
import Testing

@testable import LocalStore

@Suite(.needsSlot) struct FairLockTests {
    private static func otherThread() -> ThreadIdentity {
        let identity = Mutex<ThreadIdentity?>(nil)
        let isKnown = DispatchSemaphore(value: 0)
        // The thread keeps running, so that its identity is not reused.
        Thread.detachNewThread {
            identity.withLock { $0 = .current }
            isKnown.signal()
            Thread.sleep(forTimeInterval: 3600)
        }
        isKnown.wait()
        return identity.withLock { $0 } ?? .current
    }

    @Test func `the lock passes to the longest waiter`() {
        let (first, second, third) = (ThreadIdentity.current, Self.otherThread(), Self.otherThread())
        var lock = FairLock()
        #expect(lock.isFree(for: first) && lock.isFree(for: second))
        lock.acquire(first)
        #expect(lock.isFree(for: first) && !lock.isFree(for: second))
        let wakes = [lock.enqueue(second), lock.enqueue(third), lock.enqueue(second)]
        let released = lock.release()
        #expect(released === wakes[0])
        // No other thread can barge in, not even the last owner.
        #expect(!lock.isFree(for: first) && lock.isFree(for: second))
        let isRemoved = lock.cancelWait(wakes[0])
        #expect(!isRemoved, "The thread already owns the lock.")
        let hasCanceled = lock.cancelWait(wakes[1])
        #expect(hasCanceled)
        let last = lock.release()
        #expect(last === wakes[2])
        let none = lock.release()
        #expect(none == nil)
        #expect(lock.isFree(for: first) && lock.isFree(for: third))
    }

    @Test func `all waits are cancelled at once and the owner stays`() {
        let (first, second) = (ThreadIdentity.current, Self.otherThread())
        var lock = FairLock()
        lock.acquire(first)
        let wakes = [lock.enqueue(second), lock.enqueue(second)]
        let cancelled = lock.cancelWaits()
        #expect(cancelled.count == 2 && cancelled[0] === wakes[0] && cancelled[1] === wakes[1])
        #expect(lock.waiterCount == 0 && lock.owner == first)
        let isRemoved = lock.cancelWait(wakes[0])
        #expect(!isRemoved)
        let next = lock.release()
        #expect(next == nil && lock.owner == nil)
    }
}
