import Foundation
import Synchronization

/// Runs work on a thread with a small stack, the default of Darwin for all threads but the main one.
public func onSmallThread(_ work: @escaping @Sendable () -> Bool) -> Bool {
    final class Outcome: Sendable { let value = Mutex(false) }
    let outcome = Outcome()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        let value = work()
        outcome.value.withLock { $0 = value }
        done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
    return outcome.value.withLock { $0 }
}
