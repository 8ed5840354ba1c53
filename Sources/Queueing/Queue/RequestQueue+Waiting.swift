import HTTPMessages
import Transport

extension RequestQueue {
    /// A call's way through the queue.
    struct Pass: Sendable {
        let id: ID
        /// When it came.
        let arrival: Duration
        /// Says that it is its turn, by nil, or why there will be none; nil when it is its turn already.
        var turn: Signal<QueueEnding?>?
        /// Says true when it is to stop while it runs; nil when nobody can say so.
        let stop: Signal<Bool>?
    }

    /// Takes the request of a call that can wait.
    /// - Parameter cancellable: which calls can be ended while they run.
    func enter(_ request: HTTPRequest, cancellable: CancellableCalls) throws -> Pass {
        guard !Task.isCancelled else { throw Self.error(.cancelled, request) }
        let arrival = now
        let isStoppable = cancellable == .all || request.options.tag != nil
        let stop = isStoppable ? Signal<Bool>() : nil
        var handler: Handler?
        if let stop { handler = { _, notice in if case .stop = notice { stop.send(true) } } }
        var turn: Signal<QueueEnding?>?
        let id = try take(request, handler, isStoppable: isStoppable, arrival: arrival) { work, id, admission in
            if case .started = admission { return [] }
            let signal = Signal<QueueEnding?>()
            turn = signal
            let handler: Handler = { _, notice in
                switch notice {
                case .accept: break
                case .start: signal.send(nil)
                case .end(let ending): signal.send(ending)
                case .stop: stop?.send(true)
                }
            }
            work.replace(id, with: Entry(handler: handler, method: request.method))
            return []
        }
        return Pass(id: id, arrival: arrival, turn: turn, stop: stop)
    }

    /// Waits for the turn of a request.
    /// - Returns: the request with what is left of its total deadline.
    /// - Throws: why it has ended without being sent.
    func wait(_ pass: Pass, for request: HTTPRequest) async throws -> HTTPRequest {
        guard let turn = pass.turn else { return request }
        let ending = await withTaskCancellationHandler {
            await turn.value
        } onCancel: {
            cancel(pass.id)
        }
        if let ending { throw Self.error(ending, request) }
        return try begin(request, pass.id, arrival: pass.arrival)
    }
}
