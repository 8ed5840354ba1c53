import Dispatch
import Foundation
import Synchronization
import SystemLibraries
import TestSupport
import Testing

@testable import LocalStore

@Suite(.needsSlot) struct MemoryTurnTests {
    private static func otherThread() -> ThreadIdentity {
        let identity = Mutex<ThreadIdentity?>(nil)
        let isKnown = DispatchSemaphore(value: 0)
        // It stays, so that nobody else is given its identity.
        Thread.detachNewThread {
            identity.withLock { $0 = .current }
            isKnown.signal()
            Thread.sleep(forTimeInterval: 3600)
        }
        isKnown.wait()
        return identity.withLock { $0 } ?? .current
    }

    @Test func theTurnGoesToWhoWaitedLongest() {
        let (me, second, third) = (ThreadIdentity.current, Self.otherThread(), Self.otherThread())
        var turn = MemoryTurn()
        #expect(turn.isFree(for: me) && turn.isFree(for: second))
        turn.take(me)
        #expect(turn.isFree(for: me) && !turn.isFree(for: second))
        let wakes = [turn.wait(second), turn.wait(third), turn.wait(second)]
        let first = turn.pass()
        #expect(first === wakes[0])
        // Nobody jumps in, not even who had it just now.
        #expect(!turn.isFree(for: me) && turn.isFree(for: second))
        let isGone = turn.leave(wakes[0])
        #expect(!isGone, "It is too late to leave.")
        let hasLeft = turn.leave(wakes[1])
        #expect(hasLeft)
        let last = turn.pass()
        #expect(last === wakes[2])
        let nobody = turn.pass()
        #expect(nobody == nil)
        #expect(turn.isFree(for: me) && turn.isFree(for: third))
    }
}
