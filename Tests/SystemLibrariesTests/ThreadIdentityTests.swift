import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SystemLibraries

@Suite(.needsSlot) struct ThreadIdentityTests {
    @Test func `identity is unique per thread`() {
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
