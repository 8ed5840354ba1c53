import Foundation
import HTTPMessages
import Synchronization

/// One request on its way through a session: the state machine, a lock around it, and who waits for the outcome.
///
/// Every method may be called from any thread, also from the session's own; none calls out with the lock held, and none
/// waits.
final class Transfer: Sendable {
    private struct State {
        var machine: TransferState
        var continuation: CheckedContinuation<HTTPResponse, any Error>?
        /// What stops the work that is under way: collecting the body, then the engine's part.
        var stops: [@Sendable () -> Void] = []
        /// True once the engine has a task for it.
        var isInEngine = false
        /// Gives back the connection.
        var release: (@Sendable () -> Void)?
        var spool: BodySpool?
    }

    let request: HTTPRequest
    private let state: Mutex<State>
    private let deadlines: Deadlines
    private let alarm: UInt64
    private let relay: ObserverRelay?
    private let pipe: BodyPipe?

    /// - Parameters:
    ///   - pipe: takes the body as it comes; without one it is collected.
    ///   - threads: where the observer is called.
    init(
        _ request: HTTPRequest, observer: (any TransferObserver)?, deadlines: Deadlines, pipe: BodyPipe? = nil,
        observersOn threads: WorkerThreads = .observers
    ) {
        self.request = request
        self.deadlines = deadlines
        alarm = deadlines.makeID()
        self.pipe = pipe
        relay = observer.map { ObserverRelay($0, on: threads) }
        state = Mutex(
            State(machine: TransferState(request, isStreamed: pipe != nil, now: deadlines.timeline.now)))
    }

    /// Waits for the response: the whole one, or as soon as the head has come if there is a pipe. To be called once.
    /// - Parameter begin: starts the work; not called when the transfer is over already.
    func outcome(begin: (Transfer) -> Void) async throws -> HTTPResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.machine.isFinished { state.continuation = continuation }
                    return state.machine.isFinished
                }
                guard !isOver else { return continuation.resume(throwing: cancellation) }
                begin(self)
                setAlarm()
            }
        } onCancel: {
            cancel()
        }
    }

    private var cancellation: TransportError {
        TransportError(.cancelled, "The call was cancelled.", request: request)
    }

    /// The body to send: the request's own, or the file in which it was collected.
    var body: HTTPBody { state.withLock { $0.spool?.body } ?? request.body }

    /// The file in which the body was collected, while that is to be sent.
    var spoolFile: SpillFile? { state.withLock { $0.spool?.file } }

    func spooled(_ spool: BodySpool) {
        state.withLock { state in
            if !state.machine.isFinished { state.spool = spool }
        }
    }

    var isFinished: Bool { state.withLock { $0.machine.isFinished } }

    var hasHead: Bool { state.withLock { $0.machine.hasHead } }

    var hasIncompleteBody: Bool { state.withLock { $0.machine.hasIncompleteBody } }

    /// Work on the transfer has begun.
    /// - Parameter stop: ends that work early; called at once when the transfer is over already.
    func began(stop: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.machine.isFinished { state.stops.append(stop) }
            return state.machine.isFinished
        }
        if isOver { stop() }
    }

    /// The transfer has a connection; the wait for the response begins. The engine may let it wait before it starts.
    /// - Parameter release: called once, when the transfer needs no connection any more: with a response that is whole,
    ///   with an end before the engine had begun, or when the engine has ended. Always before the caller goes on, who may
    ///   have the next request.
    func connectionGiven(release: @escaping @Sendable () -> Void) {
        let now = deadlines.timeline.now
        let isOver = state.withLock { state in
            guard !state.machine.isFinished else { return true }
            state.machine.started(now: now)
            state.release = release
            return false
        }
        if isOver { release() } else { setAlarm() }
    }

    /// The engine has a task for the transfer.
    /// - Parameter stop: ends the engine's work early; called at once when the transfer is over already.
    /// - Returns: true when the transfer is over already.
    func engineBegins(stop: @escaping @Sendable () -> Void) -> Bool {
        let isOver = state.withLock { state in
            guard !state.machine.isFinished else { return true }
            state.isInEngine = true
            state.stops.append(stop)
            return false
        }
        if isOver { stop() }
        return isOver
    }

    /// The engine's part is over, so there is nothing to stop any more.
    func engineEnds() {
        let release = state.withLock { state in
            state.stops = []
            return state.release.take()
        }
        release?()
    }

    func bodySent(_ count: Int64) { update { $0.bodySent(count, now: $1) } }

    func headReceived(_ head: HTTPResponseHead, expected: Int64?) {
        update { $0.headReceived(head, expected: expected, now: $1) }
        // The deadline for the body may be shorter than the one for the head.
        setAlarm()
    }

    func bodyReceived(_ data: Data) { update { $0.bodyReceived(data, now: $1) } }

    func completed() { update { machine, _ in machine.completed() } }

    func failed(
        _ code: TransportError.Code, _ message: String, tlsFailure: TransportError.TLSFailure? = nil,
        underlying: (any Error)? = nil
    ) {
        update { machine, _ in
            machine.abort(machine.error(code, message, tlsFailure: tlsFailure, underlying: underlying))
        }
    }

    func cancel() {
        update { machine, _ in machine.cancelled() }
        relay?.hurry()
    }

    /// Makes sure that the machine is asked when its deadline comes. An alarm that is too early only sets the next one,
    /// so activity, which moves the deadline away, costs nothing.
    private func setAlarm() {
        guard let deadline = state.withLock({ $0.machine.isFinished ? nil : $0.machine.deadline }) else { return }
        let isSet = deadlines.schedule(alarm, at: deadline, { [weak self] in self?.alarmRang() })
        // Whoever ended it meanwhile may have come before there was anything to cancel.
        if isSet, isFinished { deadlines.cancel(alarm) }
    }

    private func alarmRang() {
        update { $0.deadlineReached(now: $1) }
        // The response may be there and wait for the observer only.
        if isFinished { relay?.hurry() } else { setAlarm() }
    }

    private func update(_ change: (inout TransferState, Duration) -> TransferState.Actions) {
        let now = deadlines.timeline.now
        let (answer, chunk, ending) = state.withLock { state -> (Answer?, Data?, Ending?) in
            let actions = change(&state.machine, now)
            // Under the lock, because only there do events have an order. The relay does no more than note them.
            if let relay { for event in actions.events { relay.send(event) } }
            let answer = actions.head.map { Answer(head: $0, continuation: state.continuation.take()) }
            guard let outcome = actions.outcome else { return (answer, actions.chunk, nil) }
            defer {
                state.continuation = nil
                state.stops = []
                state.spool = nil
            }
            var ending = Ending(
                outcome: outcome, continuation: state.continuation, pipe: pipe, spool: state.spool)
            if case .success = outcome {
                // What little the engine has still to do, it does by itself.
                ending.release = state.release.take()
            } else {
                if !state.isInEngine { ending.release = state.release.take() }
                ending.stops = state.stops
            }
            return (answer, actions.chunk, ending)
        }
        answer?.resume()
        if let chunk { pass(chunk) }
        guard var ending else { return }
        ending.release?()
        // The file is gone before the caller goes on.
        ending.spool = nil
        if let relay {
            let complete = { @Sendable [ending, deadlines, alarm] in
                deadlines.cancel(alarm)
                ending.resume()
            }
            if ending.isUrgent { relay.abandon(complete) } else { relay.finish(complete) }
        } else {
            deadlines.cancel(alarm)
            ending.resume()
        }
        for stop in ending.stops { stop() }
    }

    /// Adds to the pipe. The session has one thread at a time for a transfer, so chunks come here in their order.
    private func pass(_ chunk: Data) {
        guard let pipe else { return }
        do {
            try pipe.write(chunk)
        } catch {
            let code = TransportError.Code.temporaryStorage
            let message = String.cannotStore("The unread part of the response body", because: error)
            // This may have been the last chunk, after which the transfer itself is over and content.
            pipe.finish(TransportError(code, message, request: request, underlying: error))
            failed(code, message, underlying: error)
        }
    }

    /// The head, for a caller who takes the body as it comes.
    private struct Answer: Sendable {
        let head: HTTPResponseHead
        let continuation: CheckedContinuation<HTTPResponse, any Error>?

        func resume() { continuation?.resume(returning: HTTPResponse(head: head)) }
    }

    /// What is left to do once the machine has finished.
    private struct Ending: Sendable {
        let outcome: TransferState.Outcome
        let continuation: CheckedContinuation<HTTPResponse, any Error>?
        let pipe: BodyPipe?
        var spool: BodySpool?
        var stops: [@Sendable () -> Void] = []
        var release: (@Sendable () -> Void)?

        /// True when no observer may hold the caller up.
        var isUrgent: Bool {
            guard case .failure(let error) = outcome else { return false }
            return error.code == .cancelled || error.code == .timedOut
        }

        func resume() {
            continuation?.resume(with: outcome.mapError { $0 as any Error })
            guard let pipe else { return }
            if case .failure(let error) = outcome { pipe.finish(error) } else { pipe.finish(nil) }
        }
    }
}
