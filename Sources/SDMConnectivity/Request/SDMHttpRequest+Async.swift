import Coordination
public import Foundation
public import HTTPMessages
import Synchronization

// Async methods, which the vendor's class does not have.

extension SDMHttpRequest {
    /// Starts the request, unless it was started before, and returns its response, with any status.
    ///
    /// A delegate is called as well, before this returns a response, so its queue must not be blocked meanwhile.
    /// Cancelling the task cancels the request.
    /// - Returns: the body is empty if it is in a file, or if the delegate received it.
    @discardableResult
    public func response() async throws(SDMError) -> HTTPResponse {
        // The response of a request that has ended is for the URL that it had.
        if !state.withLock(\.hasEndedAtURL) { startAsynchronous() }
        return try await outcome()
    }

    private func outcome() async throws(SDMError) -> HTTPResponse {
        // A cancelled request completes as well, with its own error.
        if let error = await completion.value(onCancel: { cancel() }) { throw error }
        // Until then it is not known whether the delegate takes the body.
        if delegate != nil { try? await endDelivery.cancellableValue() }
        guard let head = responseHead else {
            throw SDMError(.connectionFailure, "The request has finished without a response.")
        }
        return HTTPResponse(head: head, body: responseData ?? Data())
    }

    /// Downloads the response to a file, with any status; see `downloadDestinationPath`.
    /// - Parameter resumable: a file for the body while it arrives. A later request continues it if the server has the
    ///   same version, see `allowResumeForFileDownloads`. Default nil: a temporary one, which is deleted after a
    ///   failure.
    /// - Returns: the head of the response.
    @discardableResult
    public func download(to file: URL, resuming resumable: URL? = nil) async throws(SDMError) -> HTTPResponseHead {
        self.downloadDestinationPath = file.path
        if let resumable {
            self.temporaryFileDownloadPath = resumable.path
            self.allowResumeForFileDownloads = true
        }
        startAsynchronous()
        return try await outcome().head
    }
}
