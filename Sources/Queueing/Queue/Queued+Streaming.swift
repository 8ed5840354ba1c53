import Coordination
import Foundation
public import HTTPMessages
public import Transport

extension Queued: StreamingTransport where Base: StreamingTransport {
    /// Waits for a slot, then sends a request and streams the body of its response.
    ///
    /// The request occupies its slot until its reader gets the end of the body or an error, or releases the body. An
    /// unread response keeps its slot. With ``HTTPMessages/RequestOptions/releasesSlotAtHead`` the slot is free once
    /// the head has arrived.
    ///
    /// A request that the queue can cancel (see ``CancellationScope``) runs in a child task, which reads the body chunk
    /// by chunk on demand. So ``RequestQueue/cancel(tag:)`` ends it at any time, even unread; the reader then gets
    /// `TransportError` (`cancelled`).
    /// - Throws: as ``send(_:observer:)``, until the head has arrived.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let (request, submission) = try await start(request, observer)
        if let stop = submission.stop {
            return try await stream(request, observer: observer, submission.id, until: stop)
        }
        let response: HTTPResponseStream
        do {
            response = try await base.stream(request, observer: observer)
        } catch {
            queue.finish(submission.id)
            throw error
        }
        guard !request.options.releasesSlotAtHead else {
            queue.finish(submission.id)
            return response
        }
        return response.tracked { [queue] _ in queue.finish(submission.id) }
    }

    private func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?, _ id: RequestQueue.ID, until stop: Promise<Bool>
    ) async throws -> HTTPResponseStream {
        let head = Promise<Result<HTTPResponseHead, any Error>>()
        let channel = Channel<Data>(capacity: 0)
        Task(executorPreference: WorkerThreads.calls) { [base, queue] in
            var failure: (any Error)?
            do {
                try await stop.runCancellable {
                    let response = try await base.stream(request, observer: observer)
                    // Before the caller resumes, as at the end.
                    if request.options.releasesSlotAtHead { queue.finish(id) }
                    head.fulfill(.success(response.head))
                    try await Self.produce(response, in: channel, for: request)
                }
            } catch {
                failure = error
            }
            // The slot is free before this caller resumes, as in `send`.
            queue.finish(id)
            head.fulfill(.failure(failure ?? CancellationError()))
            channel.finish(failure)
        }
        let arrived = try await head.success { stop.fulfill(true) }
        return HTTPResponseStream(head: arrived, body: ChannelBody(channel, stop: stop))
    }

    /// Sends the chunks of a body when they are demanded, until its end or until the task is cancelled.
    private static func produce(
        _ response: HTTPResponseStream, in channel: Channel<Data>, for request: HTTPRequest
    ) async throws {
        do {
            var chunks = response.body.makeAsyncIterator()
            while await channel.room(), let chunk = try await chunks.next() { channel.send(chunk) }
            // Some sequences return nil instead of throwing when they are cancelled.
            try Task.checkCancellation()
        } catch is CancellationError {
            throw TransportError.cancelled(request, head: response.head)
        }
    }
}
