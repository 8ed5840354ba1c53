import Coordination
import Foundation
import HTTPMessages
import Synchronization

/// One request in a session: a locked ``TransferState`` and the actions that it returns.
///
/// All methods are thread-safe and never block, so they may be called from the session's callbacks. Nothing is called
/// with the lock held.
final class Transfer: Sendable {
    private struct State {
        var machine: TransferState
        /// Cancel the running work: spooling the body, then the engine's task.
        var cancelActions: [@Sendable () -> Void] = []
        /// True once the engine has a task for the transfer.
        var isInEngine = false
        /// True once the caller was resumed, which a finished transfer may delay for its observer.
        var hasResumed = false
        /// Releases the connection slot.
        var release: (@Sendable () -> Void)?
        var spool: RequestBodySpool?
        /// Suspends the engine's task while the reader lags.
        var flow: FlowControl?
        /// The engine's own measurements.
        var measured: TransferMetrics?
        /// Gets the measurements; nil before the head.
        var report: TransferReport?

        /// Adds the measurements to the response or the error.
        func addMeasurements(to outcome: inout TransferState.Outcome, now: Duration) {
            guard let metrics = measured ?? machine.metrics(now: now) else { return }
            report?.complete(metrics)
            guard case .failure(var error) = outcome else { return }
            error.metrics = metrics
            outcome = .failure(error)
        }
    }

    let request: HTTPRequest
    private let state: Mutex<State>
    private let timers: TimerQueue
    private let timerID: UInt64
    /// What the caller gets: the response, or the head of a streamed one.
    private let response = Promise<Result<HTTPResponse, any Error>>()
    private let relay: ObserverRelay?
    private let writer: SpillingWriter?

    /// - Parameters:
    ///   - relay: delivers the events to the observer; nil without one.
    ///   - writer: receives the body of a streamed response; nil to collect it in memory.
    init(_ request: HTTPRequest, relay: ObserverRelay? = nil, timers: TimerQueue, writer: SpillingWriter? = nil) {
        self.request = request
        self.timers = timers
        timerID = timers.makeID()
        self.writer = writer
        self.relay = relay
        state = Mutex(
            State(
                machine: TransferState(
                    request, isStreamed: writer != nil, waitsForEnd: EngineKind.current == .cfNetwork,
                    now: timers.clock.now)))
        writer?.pipe.onRoom { [weak self] in self?.updateFlow() }
    }

    /// Waits for the response, or with a writer for its head.
    func outcome() async throws -> HTTPResponse {
        scheduleTimer()
        return try await response.success { cancel() }
    }

    /// The body to send: the spooled one, or the request's.
    var body: HTTPBody { state.withLock { $0.spool?.body } ?? request.body }

    /// The file of the spooled body, until the transfer finishes.
    var spoolFile: ScratchFile? { state.withLock { $0.spool?.file } }

    func spooled(_ spool: RequestBodySpool) {
        state.withLock { state in
            if !state.machine.isFinished { state.spool = spool }
        }
    }

    var isFinished: Bool { state.withLock { $0.machine.isFinished } }
    var hasHead: Bool { state.withLock { $0.machine.hasHead } }
    var hasIncompleteBody: Bool { state.withLock { $0.machine.hasIncompleteBody } }

    /// Registers work that runs before the engine starts.
    /// - Parameter cancelAction: cancels that work; called at once when the transfer has finished already.
    func workStarted(cancelAction: @escaping @Sendable () -> Void) {
        let isFinished = state.withLock { state in
            if !state.machine.isFinished { state.cancelActions.append(cancelAction) }
            return state.machine.isFinished
        }
        if isFinished { cancelAction() }
    }

    /// Starts the queue timeout; the transfer waits for a connection slot.
    func slotAwaited() { changeTimeouts { $0.slotAwaited(now: $1) } }

    /// Starts the response timeout; the transfer has a connection slot.
    /// - Parameter release: called once, before the caller resumes with its next request: when the response is
    ///   complete, when the transfer fails before the engine started, or when the engine has finished.
    func slotAcquired(release: @escaping @Sendable () -> Void) {
        let now = timers.clock.now
        let isFinished = state.withLock { state in
            guard !state.machine.isFinished else { return true }
            state.machine.started(bodyLength: state.spool?.body.length, now: now)
            state.release = release
            return false
        }
        if isFinished { release() } else { scheduleTimer() }
    }

    /// Registers the engine's task.
    /// - Parameter cancelAction: cancels the task; called at once when the transfer has finished already.
    /// - Returns: true when the transfer has finished already.
    func engineStarted(cancelAction: @escaping @Sendable () -> Void) -> Bool {
        let isFinished = state.withLock { state in
            guard !state.machine.isFinished else { return true }
            state.isInEngine = true
            state.cancelActions.append(cancelAction)
            return false
        }
        if isFinished { cancelAction() }
        return isFinished
    }

    /// Suspends the engine's task while the reader of a streamed response lags.
    /// - Parameters:
    ///   - queue: the serial queue of the task's calls.
    ///   - setSuspended: suspends or resumes the task; called on `queue`, never twice in a row with the same value.
    func controlFlow(on queue: DispatchQueue, setSuspended: @escaping @Sendable (Bool) -> Void) {
        guard let pipe = writer?.pipe else { return }
        let flow = FlowControl(on: queue) { [weak pipe] in
            pipe?.isFull ?? false
        } setSuspended: { [weak self] isSuspended in
            self?.suspensionChanged(isSuspended)
            setSuspended(isSuspended)
        }
        state.withLock { $0.flow = flow }
    }

    private func updateFlow() { state.withLock(\.flow)?.update() }

    private func suspensionChanged(_ isSuspended: Bool) {
        changeTimeouts { $0.setSuspended(isSuspended, now: $1) }
    }

    private func changeTimeouts(_ change: (inout TransferState, Duration) -> Void) {
        let now = timers.clock.now
        state.withLock { change(&$0.machine, now) }
        scheduleTimer()
    }

    /// Releases the slot; the engine's task has completed.
    func engineFinished() {
        let release = state.withLock { state in
            state.cancelActions = []
            return state.release.take()
        }
        release?()
    }

    func bodyRead(toEnd isAtEnd: Bool) { changeTimeouts { $0.bodyRead(toEnd: isAtEnd, now: $1) } }
    func bodySent(_ count: Int64) { update { $0.bodySent(count, now: $1) } }
    func headReceived(_ head: HTTPResponseHead, expected: Int64?) {
        let report = TransferReport()
        var head = head
        head.transferReport = report
        state.withLock { $0.report = report }
        update { [head] in $0.headReceived(head, expected: expected, now: $1) }
        // The idle deadline may be earlier than the response deadline was.
        scheduleTimer()
    }

    /// Takes the measurements of the engine, before its end.
    func measured(_ metrics: TransferMetrics) { state.withLock { $0.measured = metrics } }

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

    func failed(with failure: TransportError) { update { machine, _ in machine.abort(failure) } }
    func cancel() {
        update { machine, _ in machine.cancelled() }
        relay?.expediteFinish()
    }

    /// Sets a timer for the machine's deadline.
    ///
    /// A timer that fires early, because activity extended the deadline, sets the next one. Activity itself costs
    /// nothing.
    private func scheduleTimer() {
        guard let deadline = state.withLock({ $0.hasResumed ? nil : $0.machine.deadline }) else { return }
        let isSet = timers.schedule(timerID, at: deadline, { [weak self] in self?.timerFired() })
        // The caller may have resumed before the timer existed, so nothing has cancelled it.
        if isSet, state.withLock(\.hasResumed) { timers.cancel(timerID) }
    }

    private func timerFired() {
        update { $0.deadlineReached(now: $1) }
        let now = timers.clock.now
        let isLate = state.withLock { $0.machine.isFinished && $0.machine.deadline.map { $0 <= now } ?? false }
        // A finished transfer may still wait for its observer, until the deadline.
        if isLate { relay?.expediteFinish() } else { scheduleTimer() }
    }

    private func update(_ change: (inout TransferState, Duration) -> TransferState.Actions) {
        let now = timers.clock.now
        var finished: Completion?
        let (head, chunk) = state.withLock { state -> (HTTPResponseHead?, Data?) in
            let actions = change(&state.machine, now)
            // Under the lock, which is what orders events. The relay only enqueues them.
            if let relay { for event in actions.events { relay.send(event) } }
            guard var outcome = actions.outcome else { return (actions.head, actions.chunk) }
            state.addMeasurements(to: &outcome, now: now)
            defer {
                state.cancelActions = []
                state.spool = nil
            }
            var completion = Completion(
                outcome: outcome, response: response, pipe: writer?.pipe, spool: state.spool, flow: state.flow)
            if case .success = outcome {
                // The engine finishes its task without help.
                completion.release = state.release.take()
            } else {
                if !state.isInEngine { completion.release = state.release.take() }
                completion.cancelActions = state.cancelActions
            }
            finished = completion
            return (actions.head, actions.chunk)
        }
        if let head { response.fulfill(.success(HTTPResponse(head: head))) }
        if let chunk { write(chunk) }
        // Taken, since a second reference would keep the file, which is deleted before the caller resumes.
        guard var completion = finished.take() else { return }
        completion.release?()
        completion.spool = nil
        let complete = { @Sendable [self, completion] in
            state.withLock { $0.hasResumed = true }
            timers.cancel(timerID)
            completion.resume()
        }
        if let relay {
            if completion.isUrgent { relay.abandon(complete) } else { relay.finish(complete) }
        } else {
            complete()
        }
        for cancel in completion.cancelActions { cancel() }
    }

    /// Writes to the pipe; the session calls back on one thread at a time per task, so chunks arrive in order.
    private func write(_ chunk: Data) {
        guard let writer else { return }
        do {
            try writer.write(chunk)
            if writer.pipe.isFull { updateFlow() }
        } catch {
            let code = TransportError.Code.temporaryStorage
            let message = String.cannotStore("The unread part of the response body", because: error)
            // After the last chunk the transfer has succeeded already, so the pipe is failed directly too.
            writer.pipe.finish(TransportError(code, message, request: request, underlying: error))
            failed(code, message, underlying: error)
        }
    }

    /// The remaining work once the machine has finished.
    private struct Completion: Sendable {
        let outcome: TransferState.Outcome
        let response: Promise<Result<HTTPResponse, any Error>>
        let pipe: ResponseBodyPipe?
        var spool: RequestBodySpool?
        let flow: FlowControl?
        var cancelActions: [@Sendable () -> Void] = []
        var release: (@Sendable () -> Void)?

        /// True when the caller must not wait for the observer: after cancellation or a timeout.
        var isUrgent: Bool {
            guard case .failure(let error) = outcome else { return false }
            return error.code == .cancelled || error.code == .timedOut
        }

        func resume() {
            // The caller of a streamed transfer may have its head already.
            response.fulfill(outcome.mapError { $0 as any Error })
            guard let pipe else { return }
            if case .failure(let error) = outcome { pipe.finish(error) } else { pipe.finish(nil) }
            // A suspended task could not be cancelled, or would stay.
            flow?.update()
        }
    }
}
