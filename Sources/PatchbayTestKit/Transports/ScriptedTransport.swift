public import HTTPMessages
public import Transport

/// A fake transport that answers each request with the next step of a script, and records the requests.
///
/// ```swift
/// let transport = ScriptedTransport([.status(.serviceUnavailable), .failure(.connectionLost), .text("done")])
/// let response = try await retrying(over: transport).send(request)
/// #expect(transport.requests.count == 3)
/// ```
///
/// Each step is used once. When the task is cancelled, `send` throws `TransportError` (`cancelled`) at once, even if
/// the step ignores cancellation. The transfer events are those of a ``ServiceTransport``. A step with a clock keeps
/// the timeouts of the request, each one by itself; nothing ends the wait of another one.
public final class ScriptedTransport: StreamingTransport {
    private struct State {
        var steps: ArraySlice<Step>
        var requests: [HTTPRequest] = []
    }

    private let state: Watched<State>
    private let last: Step

    /// Creates a transport from a list of steps.
    /// - Parameter last: the step for every request after the list; by default such a request fails, and is not sent
    ///   again by a retry.
    public init(_ steps: [Step], then last: Step? = nil) {
        state = Watched(State(steps: steps[...]))
        let count = steps.count
        self.last =
            last
            ?? Step { request in
                // No retry can help.
                throw RoutingError(
                    unexpected: request,
                    "All \(count) steps of the script are used; add a step, or pass one as `then:`.")
            }
    }

    /// Creates a transport from a closure; an error it throws is the error of `send`.
    public convenience init(_ handler: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
        self.init([], then: Step(handler))
    }

    /// The requests so far, in order, their bodies in memory.
    public var requests: [HTTPRequest] { state.value.requests }

    /// The number of unused steps in the list.
    public var remainingSteps: Int { state.value.steps.count }

    /// Suspends until there were `count` requests, and returns them.
    /// - Throws: `CancellationError` when the task is cancelled first.
    @discardableResult
    public func requests(count: Int) async throws -> [HTTPRequest] {
        try await state.wait { $0.requests.count >= count }.requests
    }

    /// Answers with the next step.
    /// - Throws: what the step fails with; ``RoutingError`` (`unexpectedRequest`) after the last one; `TransportError`
    ///   (`cancelled`, `unreadableBody`, `responseTooLarge`).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let exchange = nextStep()
        return try await InProcessExchange(request: request, observer: observer)
            .send(willRespond: exchange.record, respond: exchange.respond)
    }

    /// Answers with the next step, and streams the response body in chunks.
    /// - Throws: as ``send(_:observer:)``, without `responseTooLarge`.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let exchange = nextStep()
        return try await InProcessExchange(request: request, observer: observer)
            .stream(willRespond: exchange.record, respond: exchange.respond)
    }

    /// The closures of one exchange. The step is taken when the request is recorded, so the n-th request gets the n-th
    /// step.
    private func nextStep() -> (
        record: (HTTPRequest) -> Void, respond: @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {
        let step = Watched(last)
        return (
            { [state] received in
                let next = state.update { state in
                    state.requests.append(received)
                    return state.steps.popFirst()
                }
                if let next { step.update { $0 = next } }
            },
            { request in try await step.value.handler(request) }
        )
    }
}
