public import Connectivity
import Coordination
public import HTTPMessages
public import Transport

/// Holds calls that failed for lack of a network, and sends them again when there is one.
///
/// ```swift
/// let transport = URLSessionTransport.shared.waitingForConnectivity(.system)
/// ```
///
/// A call is held if all of these are true, otherwise its error is thrown as usual:
///
/// - The error is transient (``Transport/TransportError/isTransient``), and no response has arrived.
/// - The monitor said that there was no network, before the attempt or after it. An unknown state counts as reachable.
/// - The request is idempotent (``HTTPMessages/HTTPRequest/isIdempotent``) or known not to have reached a server, and
///   its body can be sent again.
///
/// The total timeout of the request spans the wait: a call that is still held then fails with its error. Without one a
/// call waits as long as there is no network. Only failures wait: while the monitor is wrong, requests that succeed are
/// not delayed.
public struct WaitingForConnectivity<Base: Transport>: Transport {
    /// The transport for each attempt.
    public let base: Base
    private let network: any NetworkMonitor
    private let clock: AnyMonotonicClock

    /// A layer over a transport.
    /// - Parameter clock: measures the total timeout.
    public init(
        base: Base, network: some NetworkMonitor, clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.base = base
        self.network = network
        self.clock = AnyMonotonicClock(clock)
    }

    /// Sends a request, again after each wait for a network.
    /// - Throws: errors of the base; `TransportError` (`cancelled`) if the task is cancelled during a wait.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await sendWhenReachable(request) { try await base.send($0, observer: observer) }
    }

    func sendWhenReachable<Response>(
        _ request: HTTPRequest, _ send: (HTTPRequest) async throws -> Response
    ) async throws -> Response {
        var request = try request.addingIdempotencyKey()
        let call = request.options.openCall()
        defer { call.close() }
        let deadline = request.options.timeouts.total.map { clock.now + $0 }
        var next = request
        return try await RetryLoop.run(on: clock) {
            let wasReachable = network.isReachable
            do {
                return .finish(try await send(next))
            } catch {
                guard isHeld(request, by: error, wasReachable), try await waitForNetwork(request, until: deadline)
                else {
                    throw error
                }
                if let deadline {
                    next.options.timeouts.reduceTotal(to: deadline - clock.now)
                    guard deadline > clock.now else { throw error }
                }
                return .retry(at: nil, cancellation: TransportError.cancelled(request))
            }
        }
    }

    private func isHeld(_ request: HTTPRequest, by error: any Error, _ wasReachable: Bool) -> Bool {
        guard let error = error as? TransportError, error.isTransient, error.head == nil, request.body.isReplayable,
            !wasReachable || !network.isReachable
        else { return false }
        return request.isIdempotent || AttemptResult(request, outcome: .failure(error)).isKnownUnprocessed
    }

    /// - Returns: false when the deadline came first.
    /// - Throws: `TransportError` (`cancelled`).
    private func waitForNetwork(_ request: HTTPRequest, until deadline: Duration?) async throws -> Bool {
        let end = Promise<WaitEnd>()
        let subscription = network.subscribe { if $0.isReachable { end.fulfill(.reachable) } }
        // It may have become reachable before the subscription.
        if network.isReachable { end.fulfill(.reachable) }
        let timer = deadline.map { clock.schedule(at: $0) { end.fulfill(.late) } }
        let result = await end.value { end.fulfill(.cancelled) }
        timer?.cancel()
        subscription.cancel()
        if result == .cancelled { throw TransportError.cancelled(request) }
        return result == .reachable
    }
}

/// How a wait for a network ended.
private enum WaitEnd { case reachable, late, cancelled }

extension WaitingForConnectivity: StreamingTransport where Base: StreamingTransport {
    /// Sends a request, again after each wait for a network, and streams the response.
    ///
    /// Nothing is held once a head has arrived.
    /// - Throws: as ``send(_:observer:)``, until the head has arrived.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await sendWhenReachable(request) { try await base.stream($0, observer: observer) }
    }
}
