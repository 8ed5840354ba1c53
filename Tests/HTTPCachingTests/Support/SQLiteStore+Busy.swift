import Dispatch
import Foundation
import PatchbayTestKit
import SQLiteStore

extension SQLiteStore {
    /// Begins a transaction in a thread of its own.
    /// - Returns: what ends it.
    func makeBusy() async throws -> DispatchSemaphore {
        let (hasBegun, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
        Thread.detachNewThread { [self] in
            try? transaction {
                hasBegun.open()
                mayEnd.wait()
            }
            // Also if it could not begin.
            hasBegun.open()
        }
        try await hasBegun.wait()
        return mayEnd
    }
}
