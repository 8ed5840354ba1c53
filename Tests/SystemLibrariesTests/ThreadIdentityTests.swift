import Foundation
import Synchronization
import Testing

@testable import SystemLibraries

@Suite struct ThreadIdentityTests {
    @Test func aThreadIsItselfAndNoOther() {
        let here = ThreadIdentity.current
        #expect(here == ThreadIdentity.current)
        let other = Mutex<ThreadIdentity?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            other.withLock { $0 = .current }
            done.signal()
        }
        done.wait()
        #expect(other.withLock { $0 } != nil)
        #expect(other.withLock { $0 } != here)
    }
}
