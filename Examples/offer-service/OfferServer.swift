import Patchbay
import PatchbayTestKit

/// The service on a port, and what must be drained when it stops. A real one has a server framework in place of the
/// loopback server.
struct OfferServer: Sendable {
    /// Requests that are served: more than these are refused at once, since a waiting caller gives up anyway.
    private let doors = RequestQueue(
        limits: QueueLimits(
            maximumConcurrent: 100, maximumConcurrentPerKey: 100, capacity: 0, overflowPolicy: .reject))
    /// Requests to other services: a slow one has at most 16 slots, and leaves the others their own.
    private let upstreams = RequestQueue(
        limits: QueueLimits(maximumConcurrent: 64, maximumConcurrentPerKey: 16, capacity: 200, overflowPolicy: .reject))
    private let monitor: EventMonitor
    private let server: LoopbackServer

    /// - Parameter engine: on a server, the transport over libcurl of the package `CurlTransport`.
    init(
        prices: String, stock: String, over engine: some StreamingTransport = URLSessionTransport.shared,
        metrics: some MetricsRecorder
    ) throws {
        let monitor = EventMonitor([.metrics(metrics)])
        let stack = Stack(over: engine)
            .queued(in: upstreams)
            .circuitBreaking(.upstream)
            .modifyingRequests(.eachAttempt) { Deadline.handOn(&$0) }
            .tracing()
            .observing(by: monitor)
        let service = OfferService(
            prices: try Self.client(of: prices, over: stack), stock: try Self.client(of: stock, over: stack))
        let admitted = service.queued(in: doors)
        self.monitor = monitor
        server = try LoopbackServer { request in
            do {
                return try await admitted.send(request.served())
            } catch {
                return HTTPResponse(failing: request, with: error)
            }
        }
    }

    /// A client of one service, with its own budget: the retries of a failing service take none from the other one.
    private static func client(of service: String, over stack: Stack) throws -> APIClient {
        // After 10 retries at most a tenth of the successful calls is retried, however many callers there are.
        let patience = Retry(
            classifier: .standard,
            backoff: .retryAfter(cap: .seconds(1), minimum: .exponential(base: .milliseconds(20), cap: .seconds(1))),
            limiter: .all(.attempts(2), RetryBudget(capacity: 10, refill: 0.1)))
        return try APIClient(service, over: stack.retrying(patience)) { $0.options.timeouts.response = .seconds(5) }
    }

    /// True once new requests are refused.
    var isDraining: Bool { doors.snapshot.isDraining }
    /// The address of the service.
    var url: String { server.url.absoluteString }

    /// Refuses new requests, waits until those that are served have their responses, and only then ends what they need.
    func drain() async throws {
        try await doors.drain()
        try await upstreams.drain()
        await monitor.flush()
    }

    /// Closes the port. A server framework sends the last responses first; the loopback server cuts them off.
    func close() async { await server.stop() }
}
