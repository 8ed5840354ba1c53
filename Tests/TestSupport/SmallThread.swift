import Foundation
import Synchronization

/// Runs work on a thread with a small stack, 512 KiB, the default of Darwin for all threads but the main one.
/// - Returns: what the work does; false when the test hangs.
public func onSmallThread(_ work: @escaping @Sendable () -> Bool) -> Bool {
    final class Outcome: Sendable { let value = Mutex(false) }
    let outcome = Outcome()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        let value = work()
        outcome.value.withLock { $0 = value }
        done.signal()
    }
    thread.stackSize = (AddressSanitizer.isOn ? 8 : 1) * 512 << 10
    thread.start()
    return done.waitUnlessHung() && outcome.value.withLock { $0 }
}
