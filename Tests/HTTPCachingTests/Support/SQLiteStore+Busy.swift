import Dispatch
import Foundation
import PatchbayTestKit
import SQLiteStore
import Testing

extension SQLiteStore {
    /// Begins a transaction in a thread of its own.
    /// - Returns: what ends it.
    func makeBusy() async throws -> DispatchSemaphore {
        let (hasBegun, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
        Thread.detachNewThread { [self] in
            do {
                try transaction {
                    hasBegun.open()
                    mayEnd.wait()
                }
            } catch {
                Issue.record("The store is not busy: \(error)")
                hasBegun.open()
            }
        }
        try await hasBegun.wait()
        return mayEnd
    }
}
