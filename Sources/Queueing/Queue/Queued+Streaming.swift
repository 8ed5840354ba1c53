import Dispatch
public import HTTPMessages
public import Transport

/// Where tagged streams are read: beside the cooperative pool, which blocked callers may have used up.
private let executor = DispatchQueueExecutor(DispatchQueue(label: "patchbay.queued", attributes: .concurrent))

extension Queued: StreamingTransport where Base: StreamingTransport {
    /// Sends a request when its turn has come, and gives the body while it comes.
    ///
    /// The request runs, and counts for the limits, until its reader has seen the end of the body or an error, or has let
    /// the body go. Whoever keeps a response unread keeps others waiting.
    ///
    /// A request that the queue can cancel (see ``CancellableCalls``) runs in a task of its own, in which its body is got
    /// chunk by chunk as it is asked for. So ``RequestQueue/cancel(tag:)`` ends it at any time, read or not;
    /// the reader then gets `TransportError` (`cancelled`).
    /// - Throws: as ``send(_:observer:)`` does, while the head has not come.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let (request, pass) = try await turn(of: request)
        if let stop = pass.stop { return try await stream(request, observer: observer, pass.id, until: stop) }
        let response: HTTPResponseStream
        do {
            response = try await base.stream(request, observer: observer)
        } catch {
            queue.leave(pass.id)
            throw error
        }
        return response.held { [queue] _ in queue.leave(pass.id) }
    }

    private func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?, _ id: RequestQueue.ID, until stop: Signal<Bool>
    ) async throws -> HTTPResponseStream {
        let head = Signal<Result<HTTPResponseHead, any Error>>()
        let handover = Handover()
        Task(executorPreference: executor) { [base, queue] in
            var failure: (any Error)?
            do {
                try await stop.cancelling {
                    let response = try await base.stream(request, observer: observer)
                    head.send(.success(response.head))
                    try await Self.serve(response, to: handover, for: request)
                }
            } catch {
                failure = error
            }
            // The next request begins before this one's caller goes on, as ever.
            queue.leave(id)
            head.send(.failure(failure ?? CancellationError()))
            handover.end(failure)
        }
        let outcome = await withTaskCancellationHandler {
            await head.value
        } onCancel: {
            stop.send(true)
        }
        return HTTPResponseStream(head: try outcome.get(), body: HandedBody(handover, stop: stop))
    }

    private static func serve(
        _ response: HTTPResponseStream, to handover: Handover, for request: HTTPRequest
    ) async throws {
        do {
            try await handover.serve(response.body)
        } catch is CancellationError {
            throw TransportError(.cancelled, "The call was cancelled.", request: request, head: response.head)
        }
    }
}
