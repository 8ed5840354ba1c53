public import HTTPMessages
public import Transport

/// Answers each request with the next step of a script, and remembers the requests.
///
/// ```swift
/// let transport = ScriptedTransport([.status(.serviceUnavailable), .failure(.connectionLost), .text("done")])
/// let response = try await retrying(over: transport).send(request)
/// #expect(transport.requests.count == 3)
/// ```
///
/// A step answers exactly once. When the task is cancelled the call ends at once with `TransportError` (`cancelled`),
/// whatever the step does. Events come as from a ``ServiceTransport``.
public final class ScriptedTransport: StreamingTransport {
    private struct State {
        var steps: ArraySlice<Step>
        var requests: [HTTPRequest] = []
    }

    private let state: Watched<State>
    private let last: Step

    /// A transport that follows a list.
    /// - Parameter last: answers every request after the list; without it such a request fails and says so.
    public init(_ steps: [Step], then last: Step? = nil) {
        state = Watched(State(steps: steps[...]))
        let count = steps.count
        self.last =
            last
            ?? Step { request in
                throw TransportError(
                    .unknown, "The script has \(count) steps and all were used; add one, or say what comes then.",
                    request: request)
            }
    }

    /// A transport that answers with a closure. What the closure throws is the error of the call.
    public convenience init(_ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
        self.init([], then: Step(answer))
    }

    /// The requests so far, in order, their bodies in memory.
    public var requests: [HTTPRequest] { state.value.requests }

    /// How many steps of the list were not used yet.
    public var remainingSteps: Int { state.value.steps.count }

    /// The requests, as soon as there are so many.
    /// - Throws: `CancellationError` when the task is cancelled before that.
    @discardableResult
    public func requests(count: Int) async throws -> [HTTPRequest] {
        try await state.wait { $0.requests.count >= count }.requests
    }

    /// Answers with the next step.
    /// - Throws: what the step fails with, and `TransportError` (`cancelled`, `unreadableBody`, `responseTooLarge`).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let turn = turn
        return try await InProcessExchange(request: request, observer: observer)
            .send(willAnswer: turn.take, answer: turn.answer)
    }

    /// Answers with the next step, and gives the body in pieces.
    /// - Throws: what the step fails with, and `TransportError` (`cancelled`, `unreadableBody`).
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let turn = turn
        return try await InProcessExchange(request: request, observer: observer)
            .stream(willAnswer: turn.take, answer: turn.answer)
    }

    /// One use of the script. The step is taken with the request, so that the n-th request gets the n-th step.
    private var turn: (take: (HTTPRequest) -> Void, answer: @Sendable (HTTPRequest) async throws -> HTTPResponse) {
        let step = Watched(last)
        return (
            { [state] received in
                let next = state.update { state in
                    state.requests.append(received)
                    return state.steps.popFirst()
                }
                if let next { step.update { $0 = next } }
            },
            { request in try await step.value.answer(request) }
        )
    }
}
