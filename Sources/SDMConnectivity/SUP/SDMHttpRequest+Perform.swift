import Foundation
import HTTPMessages
import Synchronization

extension SDMHttpRequest {
    /// Runs the request in the current task, outside of the session's queue.
    ///
    /// For requests of the library's own: those in the queue may wait for them, and a blocked caller may own the
    /// thread.
    /// - Throws: `CancellationError`; ``SDMError``.
    func perform() async throws -> HTTPResponse {
        if begin() { await run(.synchronous(blocksDelivery: false)) }
        try Task.checkCancellation()
        if let error = self.error { throw error }
        guard let head = responseHead else { throw SDMError.cancelled }
        return HTTPResponse(head: head, body: responseData ?? Data())
    }
}
