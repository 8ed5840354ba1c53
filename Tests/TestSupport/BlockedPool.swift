public import Dispatch
import Foundation
import Synchronization

/// The cooperative pool, all of whose threads a test blocks.
public enum BlockedPool {
    /// Calls `start` on a thread of its own while all threads of the pool are blocked, until it calls its argument.
    /// - Returns: false when the test hangs.
    public static func run(_ start: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void) async -> Bool
    {
        let done = DispatchSemaphore(value: 0)
        let blocked = Blocked()
        let width = ProcessInfo.processInfo.activeProcessorCount
        Thread.detachNewThread {
            _ = waitUnlessHung { blocked.count.load(ordering: .acquiring) >= width }
            start { for _ in 0..<64 { done.signal() } }
        }
        return await withTaskGroup(of: Bool.self) { group in
            // More tasks than threads.
            for _ in 0..<64 {
                group.addTask {
                    blocked.count.wrappingAdd(1, ordering: .releasing)
                    return done.waitUnlessHung()
                }
            }
            return await group.allSatisfy(\.self)
        }
    }

    private final class Blocked: Sendable {
        let count = Atomic(0)
    }
}

/// The name of the calling thread.
public func threadName() -> String { Thread.current.name ?? "" }

/// Blocks the thread until a semaphore is signalled.
public func blockingWait(for semaphore: DispatchSemaphore) -> DispatchTimeoutResult {
    semaphore.waitUnlessHung() ? .success : .timedOut
}
