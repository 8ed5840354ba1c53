import Foundation
import HTTPMessages
import Synchronization

extension SDMHttpRequest {
    /// Runs the request in the current task, outside of the session's queue.
    ///
    /// For requests of the library's own: those in the queue may wait for them, and a blocked caller may own the
    /// thread.
    /// - Returns: the credentials that servers and proxies have rejected.
    /// - Throws: `CancellationError`.
    func runInTask() async throws -> Set<SpaceCredential> {
        let rejected = await begin() ? run(.synchronous(blocksDelivery: false)) : []
        try Task.checkCancellation()
        return rejected
    }

    /// Runs the request as ``runInTask()`` does, and returns its response.
    /// - Throws: `CancellationError`; ``SDMError``.
    func perform() async throws -> HTTPResponse {
        _ = try await runInTask()
        if let error = self.error { throw error }
        guard let head = responseHead else { throw SDMError.cancelled }
        return HTTPResponse(head: head, body: responseData ?? Data())
    }
}
