public import Dispatch
import Foundation

extension DispatchSemaphore {
    /// Blocks the thread until the semaphore is signaled or the test counts as hung. ``SlotTrait`` cannot end a test
    /// that blocks its thread.
    /// - Returns: false when the test hangs.
    public func waitUnlessHung() -> Bool {
        (0..<SlotTrait.secondsUntilHung).contains { _ in wait(timeout: .now() + 1) == .success }
    }
}

/// Blocks the thread until a condition holds or the test counts as hung.
/// - Returns: false when the test hangs.
public func waitUnlessHung(until condition: () -> Bool) -> Bool {
    (0..<SlotTrait.secondsUntilHung * 1000).contains { _ in
        if condition() { return true }
        Thread.sleep(forTimeInterval: 0.001)
        return false
    }
}
