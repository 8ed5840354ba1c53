import Coordination
public import HTTPMessages
import Synchronization
public import Transport

/// Circuit breaker: fails fast while the server is failing, sparing both the caller and the server.
///
/// ```swift
/// let transport = Retrying(base: CircuitBreaking(base: URLSessionTransport.shared), strategy: .standard)
/// ```
///
/// Each origin (scheme, host and port) has its own circuit. A closed circuit passes calls and counts failures; too many
/// of them open it. An open circuit fails calls without sending them. After a while it is half-open and passes a few
/// calls: if they succeed it closes, if one fails it opens again. Copies of this layer share their circuits.
///
/// Requests with `unixSocketPath`, or with an override of their host's name, pass and do not count: they go elsewhere.
///
/// Errors without a network count too, unless a ``WaitingForConnectivity`` outside knows that there is none.
///
/// Inside `Retrying`, an open circuit ends the call, also when its own attempt opened it.
/// `StandardRetryClassifier.waitsForOpenCircuits` waits until the circuit is half-open and retries.
public struct CircuitBreaking<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// The policy for opening and closing circuits.
    public let policy: CircuitPolicy
    private let clock: AnyMonotonicClock
    private let circuits: Circuits

    /// A layer over a transport, with circuits of its own.
    /// - Parameter clock: measures windows and open circuits.
    public init(
        base: Base, policy: CircuitPolicy = CircuitPolicy(), clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.base = base
        self.policy = policy
        self.clock = AnyMonotonicClock(clock)
        circuits = Circuits(policy)
    }

    /// Sends a request unless the circuit of its origin is open.
    /// - Throws: errors of the base; ``AdmissionError`` (`circuitOpen`), whose `retryAfter` is the remaining open time,
    ///   or nil while the circuit is half-open.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        if request.isElsewhere { return try await base.send(request, observer: observer) }
        let call = try permit(request, observer)
        let response = try await perform(call) { try await base.send(request, observer: observer) }
        callEnded(call, outcome(of: response.head))
        return response
    }

    /// A permitted call, which must report its outcome.
    struct Call: Sendable {
        let origin: Origin
        var permit: CircuitState.Permit
        let network: NetworkCheck?
        /// Gets changes of the circuit; nil if it does not ask for them.
        var observer: (any TransferObserver)?
    }

    /// Sends the request of a call, and reports the outcome if that fails.
    func perform<Response: HTTPResponseProtocol>(
        _ call: Call, _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch {
            callEnded(call, outcome(of: error, call))
            throw error
        }
    }

    func outcome(of head: HTTPResponseHead) -> CircuitState.Outcome {
        // A layer below has made a local one: the server was not asked.
        guard !head.isLocal else { return .unknown }
        return policy.isFailure(.response(head)) ? .failure : .success
    }

    func outcome(of error: any Error, _ call: Call) -> CircuitState.Outcome {
        switch AttemptResult.Outcome(error) {
        case .response(let head): outcome(of: head)
        // The server may be well.
        case .failure where call.network?.isOffline == true: .unknown
        case .failure(let error): policy.isFailure(.failure(error)) ? .failure : .unknown
        // The server did not get the request.
        case .rejection, nil: .unknown
        }
    }

    func callEnded(_ call: Call, _ outcome: CircuitState.Outcome) {
        let now = clock.now
        circuits.change(call.origin, call.observer) { $0.callEnded(call.origin, call.permit, outcome, now: now) }
    }

    /// Reports a good head whose body is still to come; returns the call to report at the end of the body.
    func headReceived(_ call: Call) -> Call {
        let now = clock.now
        var call = call
        call.permit = circuits.change(call.origin, call.observer) { [call] in
            $0.headReceived(call.origin, call.permit, now: now)
        }
        return call
    }

    func permit(_ request: HTTPRequest, _ observer: (any TransferObserver)?) throws(AdmissionError) -> Call {
        let now = clock.now
        let origin = request.origin
        let observer = observer?.isImmediate == true ? observer : nil
        switch circuits.change(origin, observer, { $0.admit(origin, now: now) }) {
        case .permit(let permit):
            return Call(origin: origin, permit: permit, network: request.options.networkCheck, observer: observer)
        case .reject(let retryAfter):
            observer?.report(CircuitEvent.rejected(origin: origin.text))
            throw AdmissionError(
                .circuitOpen,
                "Circuit open: \(origin.text) failed too often, so the request was not sent; "
                    + (retryAfter.map { "retry in \($0.secondsText)." } ?? "a trial request is in flight, retry later."),
                request: request, retryAfter: retryAfter)
        }
    }
}

extension CircuitEvent {
    /// The event of a transition; nil if there was none.
    fileprivate init?(_ origin: Origin, from: CircuitState.Phase, to: CircuitState.Phase) {
        switch (from, to) {
        case (.closed, .closed), (.open, .open), (.halfOpen, .halfOpen): return nil
        case (_, .open): self = .opened(origin: origin.text)
        case (_, .halfOpen): self = .halfOpened(origin: origin.text)
        case (_, .closed): self = .closed(origin: origin.text)
        }
    }
}

/// The circuits, shared by all copies of a layer.
private final class Circuits: Sendable {
    let table: Mutex<CircuitTable>
    init(_ policy: CircuitPolicy) { table = Mutex(CircuitTable(policy)) }

    /// Changes a circuit, and reports the change to an observer.
    func change<Result: Sendable>(
        _ origin: Origin, _ observer: (any TransferObserver)?, _ body: (inout CircuitTable) -> Result
    ) -> Result {
        guard let observer else { return table.withLock { body(&$0) } }
        let (result, event) = table.withLock { table in
            let before = table.phase(origin)
            let result = body(&table)
            return (result, CircuitEvent(origin, from: before, to: table.phase(origin)))
        }
        if let event { observer.report(event) }
        return result
    }
}
