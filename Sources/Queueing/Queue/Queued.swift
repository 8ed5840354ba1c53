public import HTTPMessages
public import Transport

/// Lets requests wait for their turn in a queue, over any transport.
///
/// ```swift
/// let queue = RequestQueue(limits: QueueLimits(running: 8, runningPerKey: 4))
/// let transport = Queued(base: URLSessionTransport.shared, queue: queue)
/// request.options.priority = .immediate
/// request.options.tag = "photos"
/// let response = try await transport.send(request)
/// queue.cancel(tag: "photos")  // from anywhere, meanwhile
/// ```
///
/// The total deadline of a request counts from the moment at which it comes: a request whose deadline passes while it
/// waits is not sent, and the base is given what is left of it. The other deadlines count from when it is sent.
///
/// A request with a tag runs in a child task, so that ``RequestQueue/cancel(tag:)`` can end it while it runs. One
/// without is sent in the caller's task, which costs less; it is the caller's to cancel while it runs. With
/// ``CancellableCalls/all`` each is sent in a child task.
public struct Queued<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// The queue. Other transports may share it, and its limits then hold for all of them together.
    public let queue: RequestQueue
    /// Which calls the queue can cancel while they run.
    public let cancellable: CancellableCalls

    /// A layer over a transport; without a queue it has a new one of its own.
    /// - Parameter cancellable: which calls the queue can cancel while they run; default those with a tag.
    public init(base: Base, queue: RequestQueue = RequestQueue(), cancellable: CancellableCalls = .tagged) {
        self.base = base
        self.queue = queue
        self.cancellable = cancellable
    }

    /// Sends a request when its turn has come.
    /// - Throws: what the base throws; ``QueueError``; `TransportError` (`cancelled`, `timedOut`) when it ends while it
    ///   waits; `HTTPMessageError` (`invalidTimeout`).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let (request, pass) = try await turn(of: request)
        defer { queue.leave(pass.id) }
        guard let stop = pass.stop else { return try await base.send(request, observer: observer) }
        return try await stop.cancelling { [base] in try await base.send(request, observer: observer) }
    }

    /// Waits for the turn of a request, which then has to leave the queue.
    func turn(of request: HTTPRequest) async throws -> (HTTPRequest, RequestQueue.Pass) {
        let pass = try queue.enter(request, cancellable: cancellable)
        guard pass.turn != nil else { return (request, pass) }
        return (try await queue.wait(pass, for: request), pass)
    }
}
