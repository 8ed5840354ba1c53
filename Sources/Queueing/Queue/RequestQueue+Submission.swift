import Coordination
import HTTPMessages
import Transport

/// Submission by a task that waits for its slot.
extension RequestQueue {
    /// A request of a task, in the queue or running.
    struct Submission: Sendable {
        let id: ID
        /// The time of submission.
        let arrival: Duration
        /// Fulfilled with the action that starts or ends the waiting request. Nil if it started at once.
        var start: Promise<QueueAction<ID>>?
        /// Fulfilled with true to cancel the running request; nil if it is not cancellable.
        let stop: Promise<Bool>?
    }

    /// Submits a request without waiting for its start.
    func submit(_ request: HTTPRequest, scope: CancellationScope) throws -> Submission {
        guard !Task.isCancelled else { throw TransportError.cancelled(request) }
        let arrival = now
        let isCancellable = scope == .all || request.options.tag != nil
        let stop = isCancellable ? Promise<Bool>() : nil
        var handler: Handler?
        if let stop { handler = { if case .cancelRunning = $0 { stop.fulfill(true) } } }
        var start: Promise<QueueAction<ID>>?
        let id = try submit(request, notifying: handler, isCancellable: isCancellable, arrival: arrival) {
            work, id, result in
            // Most requests start at once, and need no promise.
            if case .started = result { return [] }
            let promise = Promise<QueueAction<ID>>()
            start = promise
            let handler: Handler = { action in
                switch action {
                case .start, .cancel, .expire, .drop: promise.fulfill(action)
                case .cancelRunning: stop?.fulfill(true)
                case .admit, .drained: break
                }
            }
            work.replace(id, with: Entry(handler: handler, method: request.method))
            return []
        }
        return Submission(id: id, arrival: arrival, start: start, stop: stop)
    }

    /// Waits until a submitted request may start.
    /// - Returns: the request with its remaining total timeout.
    /// - Throws: `TransportError` (`cancelled`), ``AdmissionError``.
    func waitForStart(of submission: Submission, _ request: HTTPRequest) async throws -> HTTPRequest {
        guard let start = submission.start else { return request }
        let action = await start.value { cancel(submission.id) }
        if let error = Self.error(action, request) { throw error }
        return try self.start(request, submission.id, arrival: submission.arrival)
    }
}
