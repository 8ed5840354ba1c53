import HTTPMessages
import Transport

/// Submission by a task that waits for its slot.
extension RequestQueue {
    /// A request of a task, in the queue or running.
    struct Submission: Sendable {
        let id: ID
        /// The time of submission.
        let arrival: Duration
        /// Fulfilled with nil when the request may start, or with the reason why it was discarded. Nil if it started at
        /// once.
        var start: Promise<CancellationReason?>?
        /// Fulfilled with true to cancel the running request; nil if it is not cancellable.
        let stop: Promise<Bool>?
    }

    /// Submits a request without waiting for its start.
    func submit(_ request: HTTPRequest, scope: CancellationScope) throws -> Submission {
        guard !Task.isCancelled else { throw Self.error(.cancelled, request) }
        let arrival = now
        let isCancellable = scope == .all || request.options.tag != nil
        let stop = isCancellable ? Promise<Bool>() : nil
        var handler: Handler?
        if let stop { handler = { _, notice in if case .cancel = notice { stop.fulfill(true) } } }
        var start: Promise<CancellationReason?>?
        let id = try enqueue(request, handler, isCancellable: isCancellable, arrival: arrival) { work, id, result in
            // Most requests start at once, and need no promise.
            if case .started = result { return [] }
            let promise = Promise<CancellationReason?>()
            start = promise
            let handler: Handler = { _, notice in
                switch notice {
                case .admit: break
                case .start: promise.fulfill(nil)
                case .discard(let reason): promise.fulfill(reason)
                case .cancel: stop?.fulfill(true)
                }
            }
            work.replace(id, with: Entry(handler: handler, method: request.method))
            return []
        }
        return Submission(id: id, arrival: arrival, start: start, stop: stop)
    }

    /// Waits until a submitted request may start.
    /// - Returns: the request with its remaining total timeout.
    /// - Throws: the reason why it was discarded.
    func waitForStart(of submission: Submission, _ request: HTTPRequest) async throws -> HTTPRequest {
        guard let start = submission.start else { return request }
        let reason = await withTaskCancellationHandler {
            await start.value
        } onCancel: {
            cancel(submission.id)
        }
        if let reason { throw Self.error(reason, request) }
        return try self.start(request, submission.id, arrival: submission.arrival)
    }
}
