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
///   its body can be sent again. With `maximumAttempts = 1` it must be known not to have reached a server, which
///   `unreachable` does not tell.
///
/// The total timeout of the request spans the wait: a call that is still held then fails with its error. Without one a
/// call waits as long as there is no network. Only failures wait: while the monitor is wrong, requests that succeed are
/// not delayed. A ``CircuitBreaking`` layer inside counts no error of a request while there is no network.
///
/// A response lists the attempts before it (``HTTPMessages/HTTPResponse/attempts``), and an error all of them.
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

    func sendWhenReachable<Response: HTTPResponseProtocol>(
        _ request: HTTPRequest, _ send: (HTTPRequest) async throws -> Response
    ) async throws -> Response {
        var request = try request.addingIdempotencyKey()
        let call = request.options.openCall()
        defer { call.close() }
        let deadline = request.options.timeouts.total.map { clock.now + $0 }
        var next = request
        var attempts: [TransportError.AttemptRecord] = []
        return try await RetryLoop.run(on: clock) {
            let check = NetworkCheck(network)
            next.options.networkCheck = check
            do {
                var response = try await send(next)
                response.insertAttempts(attempts)
                return .finish(response)
            } catch {
                let outcome = AttemptResult.Outcome(error)
                let ended = clock.now
                let end = isHeld(request, by: error, check) ? await waitForNetwork(until: deadline) : .late
                let now = clock.now
                guard end == .reachable, deadline.map({ $0 > now }) ?? true else {
                    let all = attempts + (outcome?.records(backoff: nil) ?? [])
                    let last: any Error = end == .cancelled ? TransportError.cancelled(request) : error
                    throw all.count > 1 || end == .cancelled ? last.replacingAttempts(with: all) : last
                }
                attempts += outcome?.records(backoff: now - ended) ?? []
                next.options.setFurtherRequest(.retry)
                if let deadline { next.options.timeouts.reduceTotal(to: deadline - now) }
                let cancellation = TransportError.cancelled(request).replacingAttempts(with: attempts)
                return .retry(at: nil, cancellation: cancellation)
            }
        }
    }

    private func isHeld(_ request: HTTPRequest, by error: any Error, _ check: NetworkCheck) -> Bool {
        guard let error = error as? TransportError, error.isTransient, error.head == nil, request.body.isReplayable,
            check.isOffline
        else { return false }
        return request.isIdempotent && !request.options.sendsOnce
            || AttemptResult(request, outcome: .failure(error)).isKnownUnprocessed
    }

    private func waitForNetwork(until deadline: Duration?) async -> WaitEnd {
        let end = Promise<WaitEnd>()
        let subscription = network.subscribe { if $0.isReachable { end.fulfill(.reachable) } }
        // It may have become reachable before the subscription.
        if network.isReachable { end.fulfill(.reachable) }
        let timer = deadline.map { clock.schedule(at: $0) { end.fulfill(.late) } }
        let result = await end.value { end.fulfill(.cancelled) }
        timer?.cancel()
        subscription.cancel()
        return result
    }
}

/// How a wait for a network ended.
private enum WaitEnd { case reachable, late, cancelled }

extension WaitingForConnectivity: StreamingTransport where Base: StreamingTransport {
    /// Sends a request, again after each wait for a network, and streams the response.
    ///
    /// Nothing is held once a head has arrived: an error of the body has all attempts.
    /// - Throws: as ``send(_:observer:)``, until the head has arrived.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await sendWhenReachable(request) { try await base.stream($0, observer: observer) }
            .listingAttemptsInError()
    }
}
