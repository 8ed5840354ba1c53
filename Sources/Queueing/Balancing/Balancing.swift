import Coordination
import Foundation
public import HTTPMessages
import Synchronization
public import Transport

/// Sends calls to one of several hosts, and moves on to another one when a host fails.
///
/// ```swift
/// let hosts = try HostList("https://api.example.com", "https://api.example.net", order: .roundRobin)
/// let transport = URLSessionTransport.shared.circuitBreaking().balancing(over: hosts)
/// let response = try await transport.send(HTTPRequest(.get, "https://api.example.com/orders"))
/// ```
///
/// A request below any of the base URLs may go to each host: its URL gets that host's base. Other requests pass,
/// also those that `unixSocketPath` or `nameOverrides` lead elsewhere.
///
/// A host has failed after a transient error (``Transport/TransportError/isTransient``), a timeout, a 502, 503 or 504,
/// and while its circuit is open in a layer ``CircuitBreaking`` below. A timeout in an engine's own queue, or because
/// of a limit of the bandwidth, is no failure of the host, nor is what happens at another origin, to which a layer
/// below was redirected. A failed host rests, longer with each failure in a row. The call moves on to the next host
/// that does not rest, if it may be sent again: if it is idempotent (``HTTPMessages/HTTPRequest/isIdempotent``) or
/// known not to have been processed, and its body is replayable.
/// Otherwise it ends with what the host said.
///
/// The total timeout spans all hosts. Put it outside of layers that add credentials: they see the origin that gets the
/// request, and add credentials to origins of their own list only. See ``HostList/sharesCredentials`` for others.
public struct Balancing<Base: Transport>: Transport {
    /// The transport for each attempt.
    public let base: Base
    /// The hosts.
    public let hosts: HostList
    private let clock: AnyMonotonicClock
    private let state: State

    private final class State: Sendable {
        let table: Mutex<HostTable>
        init(_ hosts: HostList) { table = Mutex(HostTable(hosts)) }
    }

    /// A layer over a transport; its copies share what is known about the hosts.
    /// - Parameter clock: measures the rests of hosts and the total timeout.
    public init(base: Base, hosts: HostList, clock: some Clock<Duration> = ContinuousClock()) {
        self.base = base
        self.hosts = hosts
        self.clock = AnyMonotonicClock(clock)
        state = State(hosts)
    }

    /// Sends a request to the first host that works.
    /// - Throws: errors of the base, that of the last host with the attempts at all.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await sendToHosts(request, observer) { try await base.send($0, observer: observer) }
    }

    func sendToHosts<Response: HTTPResponseProtocol>(
        _ request: HTTPRequest, _ observer: (any TransferObserver)?, _ send: (HTTPRequest) async throws -> Response
    ) async throws -> Response {
        guard !request.isElsewhere, let path = hosts.path(of: request) else {
            return try await send(request)
        }
        var request = request
        let call = request.options.openCall()
        defer { call.close() }
        let eligible = hosts.eligible(for: request)
        var tried: [Int] = []
        var attempts: [TransportError.AttemptRecord] = []
        // The clock may be the app's: it is read before the lock is taken.
        let arrival = clock.now
        let deadline = request.options.timeouts.total.map { arrival + $0 }
        guard var host = state.table.withLock({ $0.next(eligible, tried: [], now: arrival) }) else {
            return try await send(request)
        }
        let limit = request.options.maximumAttempts ?? .max
        if eligible.count > 1 { request.options.useAttempts() }
        while true {
            let started = clock.now
            // The deadline may have passed since the attempt before.
            if let deadline, started >= deadline, !tried.isEmpty { throw Self.timedOut(request, after: attempts) }
            let attempt = try self.attempt(request, host, path, isFirst: tried.isEmpty, until: deadline, now: started)
            let result: Result<Response, any Error>
            do {
                result = .success(try await send(attempt))
            } catch {
                result = .failure(error.ofRequest(request, sentAs: attempt))
            }
            let outcome = Self.outcome(result)
            let verdict = verdict(outcome, of: attempt.origin)
            let now = clock.now
            tried.append(host)
            let next = state.table.withLock { [tried] table in
                table.ended(host, verdict, started: started, now: now)
                return table.next(eligible, tried: tried, now: now)
            }
            guard verdict.isFailure || Self.isStoredFailure(outcome, of: attempt.origin), let outcome, let next,
                tried.count < limit, mayMove(request, outcome),
                deadline.map({ $0 > now }) ?? true, !Task.isCancelled
            else {
                return try Self.result(result, after: attempts, outcome)
            }
            attempts += outcome.records(backoff: .zero)
            let rest = state.table.withLock { $0.rest(of: host, now: now) }
            observer?.report(
                BalancingEvent(failed: hosts.origins[host].text, next: hosts.origins[next].text, rest: rest))
            host = next
        }
    }

    private func attempt(
        _ request: HTTPRequest, _ host: Int, _ path: Substring, isFirst: Bool, until deadline: Duration?, now: Duration
    ) throws -> HTTPRequest {
        var attempt = try hosts.request(request, to: host, path: path)
        guard !isFirst else { return attempt }
        attempt.options.setFurtherRequest(.failover)
        if let deadline { attempt.options.timeouts.reduceTotal(to: deadline - now) }
        return attempt
    }

    private static func timedOut(
        _ request: HTTPRequest, after attempts: [TransportError.AttemptRecord]
    ) -> TransportError {
        let message = "Timed out: the request to several hosts took longer than the total timeout."
        var error = TransportError.timedOut(.total, message, request: request)
        error.attempts = attempts
        return error
    }

    private static func outcome(_ result: Result<some HTTPResponseProtocol, any Error>) -> AttemptResult.Outcome? {
        switch result {
        case .success(let response): .response(response.head)
        case .failure(let error): AttemptResult.Outcome(error)
        }
    }

    /// What an attempt tells about its host.
    private func verdict(_ outcome: AttemptResult.Outcome?, of origin: Origin) -> HostTable.Outcome {
        switch outcome {
        case .response(let head):
            // Made, or stored before, by a layer below: the host was not asked.
            guard !head.isLocal, !head.isHit, Origin((head.redirects.first ?? head).url) == origin
            else { return .unknown }
            // A host that redirects works, regardless of its target's response.
            guard Self.isFailure(head, of: origin) else { return .success }
            return .failure(retryAfter: head.retryAfter(at: Date()))
        case .failure(let error):
            guard error.isServerFailure, origin.isOrigin(of: error.failingURL) else { return .unknown }
            return .failure(retryAfter: error.head?.retryAfter(at: Date()))
        case .rejection(let error):
            guard error.code == .circuitOpen, origin.isOrigin(of: error.failingURL) else { return .unknown }
            return .failure(retryAfter: error.retryAfter)
        case nil: return .unknown
        }
    }

    private static func isFailure(_ head: HTTPResponseHead, of origin: Origin) -> Bool {
        [.badGateway, .serviceUnavailable, .gatewayTimeout].contains(head.status) && Origin(head.url) == origin
    }

    /// True for a failure of the host that a cache below has kept.
    private static func isStoredFailure(_ outcome: AttemptResult.Outcome?, of origin: Origin) -> Bool {
        guard case .response(let head) = outcome, head.isHit else { return false }
        return isFailure(head, of: origin)
    }

    /// True if a call may be sent to another host.
    private func mayMove(_ request: HTTPRequest, _ outcome: AttemptResult.Outcome) -> Bool {
        request.body.isReplayable
            && (request.isIdempotent || AttemptResult(request, outcome: outcome).isKnownUnprocessed)
    }

    /// The result of the last host, with the attempts at the others before its own.
    private static func result<Response: HTTPResponseProtocol>(
        _ result: Result<Response, any Error>, after attempts: [TransportError.AttemptRecord],
        _ outcome: AttemptResult.Outcome?
    ) throws -> Response {
        guard !attempts.isEmpty else { return try result.get() }
        switch result {
        case .success(var response):
            response.insertAttempts(attempts)
            return response
        case .failure(let error):
            throw error.replacingAttempts(with: attempts + (outcome?.records(backoff: nil) ?? []))
        }
    }
}

extension Origin {
    /// False for the URL of another request, to which a redirect led.
    fileprivate func isOrigin(of url: String?) -> Bool { url.map { Origin(URLReference($0[...])) == self } ?? true }
}

extension Balancing: StreamingTransport where Base: StreamingTransport {
    /// Sends a request to the first host that works, and streams the body of its response.
    ///
    /// Once a head has been returned, the call stays at its host: an error of the body has all attempts.
    /// - Throws: as ``send(_:observer:)``, until the head has arrived.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await sendToHosts(request, observer) { try await base.stream($0, observer: observer) }
            .listingAttemptsInError()
    }
}
