import Coordination
public import HTTPMessages
public import Transport

/// The running requests of a ``Queued`` that its queue can cancel. Waiting requests can always be cancelled.
///
/// Such a request runs in a child task, which costs about 20 microseconds.
@nonexhaustive public enum CancellationScope: Hashable, Sendable {
    /// Requests with a tag.
    case tagged
    /// All requests.
    case all
}

/// Sends requests through a ``RequestQueue``: by priority, with concurrency limits.
///
/// ```swift
/// let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 8, maximumConcurrentPerKey: 4))
/// let transport = Queued(base: URLSessionTransport.shared, queue: queue)
/// request.options.priority = .high
/// request.options.tag = "photos"
/// let response = try await transport.send(request)
/// queue.cancel(tag: "photos")  // from anywhere, meanwhile
/// ```
///
/// The total timeout of a request includes its time in the queue: a request that times out there is not sent, and the
/// base gets the remaining time. All other timeouts start when the request is sent.
///
/// A request with a tag runs in a child task, so that ``RequestQueue/cancel(tag:)`` can cancel it while it runs. One
/// without a tag runs in the caller's task, which costs less; only that task can cancel it. With
/// ``CancellationScope/all`` every request runs in a child task.
public struct Queued<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// The queue. Several transports may share it, and with it its limits.
    ///
    /// None of them may be inside another, also not in a stack over a stack: a request would hold one slot and wait for
    /// a second one, and under load all slots are held so.
    public let queue: RequestQueue
    /// The running requests that the queue can cancel.
    public let cancellationScope: CancellationScope

    /// A layer over a transport, by default with a queue of its own.
    /// - Parameter cancellationScope: the running requests that the queue can cancel; default those with a tag.
    public init(
        base: Base, queue: RequestQueue = RequestQueue(), cancellationScope: CancellationScope = .tagged
    ) {
        self.base = base
        self.queue = queue
        self.cancellationScope = cancellationScope
    }

    /// Waits for a slot, then sends a request.
    /// - Throws: errors of the base; ``AdmissionError`` if the queue rejects or drops the request or its total timeout
    ///   expires there; `TransportError` (`cancelled`); `HTTPMessageError` (`invalidTimeout`).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let (request, submission) = try await start(request, observer)
        defer { queue.finish(submission.id) }
        guard let stop = submission.stop else { return try await base.send(request, observer: observer) }
        return try await stop.runCancellable { [base] in try await base.send(request, observer: observer) }
    }

    /// Waits until a request may start. The caller must then finish it.
    func start(
        _ request: HTTPRequest, _ observer: (any TransferObserver)?
    ) async throws -> (HTTPRequest, RequestQueue.Submission) {
        let submission = try queue.submit(request, scope: cancellationScope)
        guard submission.start != nil else {
            observer?.report(QueueEvent.started(wait: .zero))
            return (request, submission)
        }
        observer?.report(QueueEvent.queued(length: queue.waitingCount))
        // Before the wait: the call belongs to the user of now.
        var request = request
        request.options.beginCall()
        let started = try await queue.waitForStart(of: submission, request)
        observer?.report(QueueEvent.started(wait: queue.now - submission.arrival))
        return (started, submission)
    }
}
