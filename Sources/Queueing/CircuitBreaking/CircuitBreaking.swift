public import HTTPMessages
import Synchronization
public import Transport

/// Fails fast while the server is failing, sparing both the caller and the server.
///
/// ```swift
/// let transport = Retrying(base: CircuitBreaking(base: URLSessionTransport.shared), strategy: .standard)
/// ```
///
/// Each origin (scheme, host and port) has a circuit of its own. It is closed at first: calls go through and are
/// counted. Too many failures open it: calls fail without being sent. After a while a few calls are let through; when
/// they succeed the circuit closes, when one fails it opens again. A copy of this layer has the same circuits.
///
/// Put it inside `Retrying`, which then ends a call whose circuit is open or has just been opened by it. A strategy with
/// `StandardTriage.waitsForOpenCircuits` waits until the circuit lets a request through again.
public struct CircuitBreaking<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// When a circuit opens and closes.
    public let policy: CircuitPolicy
    private let timeline: Timeline
    private let circuits: Circuits

    /// A layer over a transport, with circuits of its own.
    /// - Parameter clock: counts the windows and how long circuits stay open.
    public init(
        base: Base, policy: CircuitPolicy = CircuitPolicy(), clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.base = base
        self.policy = policy
        timeline = Timeline(clock)
        circuits = Circuits(policy)
    }

    /// Sends a request if the circuit of its origin lets it through.
    /// - Throws: what the base throws; `TransportError` (`circuitOpen`), whose `retryAfter` says how long the circuit stays
    ///   open, or nil while others find out whether the server is back.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let call = try admitted(request)
        let response = try await answer(to: call) { try await base.send(request, observer: observer) }
        ended(call, end(of: response.head))
        return response
    }

    /// A call that was let through, and counts once it has ended.
    struct Call: Sendable {
        let origin: Origin
        var pass: CircuitState.Pass
    }

    /// What comes of a call, which has ended if it fails.
    func answer<Answer: HTTPAnswer>(to call: Call, _ send: () async throws -> Answer) async throws -> Answer {
        do {
            return try await send()
        } catch {
            ended(call, end(of: error))
            throw error
        }
    }

    func end(of head: HTTPResponseHead) -> CircuitState.End { policy.isFailure(.response(head)) ? .failure : .success }

    func end(of error: any Error) -> CircuitState.End {
        guard let error = error as? TransportError else { return .unknown }
        return switch EndedAttempt.Outcome(error) {
        case .response(let head): end(of: head)
        case let failure: policy.isFailure(failure) ? .failure : .unknown
        }
    }

    func ended(_ call: Call, _ end: CircuitState.End) {
        let now = timeline.now
        circuits.table.withLock { $0.ended(call.origin, call.pass, end, now: now) }
    }

    /// The call with what it has to say at the end of its body, now that its head has come and is good.
    func answered(_ call: Call) -> Call {
        let now = timeline.now
        var call = call
        call.pass = circuits.table.withLock { [call] in $0.answered(call.origin, call.pass, now: now) }
        return call
    }

    func admitted(_ request: HTTPRequest) throws(TransportError) -> Call {
        let now = timeline.now
        let origin = request.origin
        switch circuits.table.withLock({ $0.admit(origin, now: now) }) {
        case .pass(let pass):
            return Call(origin: origin, pass: pass)
        case .refuse(let retryAfter):
            throw TransportError(
                .circuitOpen,
                "Circuit open: \(origin.text) failed too often, so the request was not sent; "
                    + (retryAfter.map { "retry in \($0.secondsText)." } ?? "a probe is in flight, retry later."),
                request: request, retryAfter: retryAfter)
        }
    }
}

/// What the copies of a layer share.
private final class Circuits: Sendable {
    let table: Mutex<CircuitTable>
    init(_ policy: CircuitPolicy) { table = Mutex(CircuitTable(policy)) }
}
