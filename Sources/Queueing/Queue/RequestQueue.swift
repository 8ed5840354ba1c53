import Coordination
import Dispatch
import HTTPMessages
import Synchronization
import Transport

/// A priority queue of requests with concurrency limits, shared by any number of transports.
///
/// ```swift
/// let queue = RequestQueue(
///     limits: QueueLimits(maximumConcurrent: 8, maximumConcurrentPerKey: 4),
///     aging: PriorityAging(interval: .seconds(1)))
/// let json = Queued(base: URLSessionTransport.shared, queue: queue)
/// let images = Queued(base: Redirecting(base: URLSessionTransport.shared), queue: queue)
/// queue.pause()
/// ```
///
/// Priority and tag of a request are in its options; the key of ``QueueLimits/maximumConcurrentPerKey`` is its origin.
/// All methods may be called on any thread, and none blocks.
public final class RequestQueue: Sendable {
    /// The identity of a request in this queue.
    public typealias ID = QueueItemID

    /// Performs the actions for one request.
    typealias Handler = @Sendable (QueueAction<ID>) -> Void

    /// The queue's record of a request.
    struct Entry: Sendable {
        let handler: Handler?
        let method: HTTPMethod
    }
    typealias Work = WorkQueue<Entry, Origin>

    private struct State {
        var work: Work
        /// Actions for the thread that is delivering.
        var outbox: [Work.Action] = []
        var isDelivering = false
        var drainWaiters: [Promise<Bool>] = []

        /// Passes actions to the delivering thread, if there is one.
        ///
        /// With one thread at a time the events of a request stay in order, and a handler that finishes its request at
        /// once does not call the next handler recursively.
        /// - Returns: the actions to deliver now.
        mutating func post(_ actions: [Work.Action]) -> [Work.Action] {
            guard isDelivering else {
                isDelivering = !actions.isEmpty
                return actions
            }
            outbox += actions
            return []
        }

        mutating func takeOutbox() -> [Work.Action] {
            defer { outbox = [] }
            isDelivering = !outbox.isEmpty
            return outbox
        }
    }

    private let state: Mutex<State>
    private let timers: TimerQueue
    private let timerID: UInt64
    /// Calls handlers that no thread of a caller calls.
    private let thread = WorkerThreads(count: 1, name: "patchbay.queue")

    /// An empty queue.
    /// - Parameters:
    ///   - aging: nil orders by priority alone.
    ///   - clock: measures waiting times and total timeouts.
    public init(
        limits: QueueLimits = QueueLimits(), aging: PriorityAging? = nil,
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        state = Mutex(State(work: WorkQueue(limits: limits, aging: aging)))
        timers = TimerQueue(AnyMonotonicClock(clock))
        timerID = timers.makeID()
    }

    deinit {
        // Only requests that were submitted with a callback can be left, in a paused queue.
        for action in state.withLock({ $0.work.cancelAll() }) { perform(action) }
    }

    /// The time of the queue's clock.
    var now: Duration { timers.clock.now }

    // MARK: Control

    /// The limits. Lower limits neither stop running requests nor end waiting ones.
    public var limits: QueueLimits {
        get { state.withLock(\.work.limits) }
        set { update { $0.setLimits(newValue) } }
    }

    /// The number of running requests.
    public var runningCount: Int { state.withLock(\.work.runningCount) }
    /// The number of waiting requests.
    public var waitingCount: Int { state.withLock(\.work.waitingCount) }

    /// The running and waiting requests. The queue is locked only while it is copied.
    public var snapshot: QueueSnapshot {
        let now = now
        let work = state.withLock(\.work)
        return work.snapshot(now: now, origin: { "\($0.scheme)://\($0.host):\($0.port)" }, method: \.method)
    }

    /// Starts no further requests until ``resume(_:)`` with the same reason. Pauses with one reason do not nest.
    public func pause(_ reason: PauseReason = .manual) { state.withLock { $0.work.pause(reason) } }

    /// Removes a pause reason; the queue continues once none is left.
    public func resume(_ reason: PauseReason = .manual) { update { $0.resume(reason) } }

    /// Rejects new calls for good, and returns when those of the queue have ended.
    ///
    /// A call that has had a request in the queue keeps it open: its retries, its further attempts at other hosts, with
    /// another credential or after a wait for a network, and the rest of its interrupted download or upload are sent,
    /// and waited for. A stack of another queue, such as that of a login, is not.
    ///
    /// The wait has no limit of its own: calls end within their total timeouts. To stop it earlier cancel this task,
    /// then the tasks of the calls; ``cancelAll()`` cancels requests, not a call that waits before its next attempt. A
    /// paused queue drains once it is resumed.
    /// - Throws: `TransportError` (`cancelled`) if the task is cancelled before; the queue still drains.
    public func drain() async throws {
        let drained = Promise<Bool>()
        let isDrained = state.withLock { state in
            if !state.work.isDrained { state.drainWaiters.append(drained) }
            return state.work.isDrained
        }
        guard !isDrained else { return }
        update { $0.drain() }
        let hasDrained = await drained.value { drained.fulfill(false) }
        guard hasDrained else { throw TransportError(.cancelled, "The wait for the queue to drain was cancelled.") }
    }

    /// Cancels a request, waiting or running.
    ///
    /// A running request of a ``Queued`` can be cancelled if it has a tag, or if the layer has
    /// ``CancellationScope/all``; any other is cancelled only by its task. A request of ``submit(_:_:)`` receives
    /// ``Event/cancelRequested``.
    /// - Returns: the number of requests cancelled: 0 if it has ended, is already cancelled or is not cancellable.
    @discardableResult
    public func cancel(_ id: ID) -> Int { update { $0.cancel(id) } }

    /// Cancels each request with a tag, as ``cancel(_:)`` does.
    /// - Returns: the number of requests cancelled.
    @discardableResult
    public func cancel(tag: String) -> Int { update { $0.cancel(tag: tag) } }

    /// Cancels every request, as ``cancel(_:)`` does.
    /// - Returns: the number of requests cancelled.
    @discardableResult
    public func cancelAll() -> Int { update { $0.cancelAll() } }

    // MARK: Submitting and finishing

    /// Submits a request.
    /// - Parameters:
    ///   - handler: receives the actions for the request, on any thread.
    ///   - isCancellable: true if the handler can stop the running request.
    ///   - arrival: the time of submission.
    ///   - onSubmitted: called under the lock with the outcome; returns further actions.
    func submit(
        _ request: HTTPRequest, notifying handler: Handler?, isCancellable: Bool, arrival: Duration,
        onSubmitted: (inout Work, ID, SubmissionResult) -> [Work.Action]
    ) throws -> ID {
        let options = request.options
        let timeout = [options.timeouts.total, options.timeouts.queue].compactMap(\.self).min()
        if timeout != nil { try options.timeouts.validate() }
        let key = request.origin
        let deadline = timeout.map { arrival + $0 }
        let (result, actions) = state.withLock { state in
            // Under the lock, so that no drain is reported between the first request of a call and its count.
            let call = options.call?.enter(self) ?? .none
            var (result, actions) = state.work.submit(
                Entry(handler: handler, method: request.method), key: key, priority: options.priority,
                tag: options.tag, deadline: deadline, isCancellable: isCancellable, isOfOpenCall: call == .further,
                now: arrival)
            if call == .first { result.id == nil ? options.call?.leave(self) : state.work.openCall() }
            if let id = result.id { actions += onSubmitted(&state.work, id, result) }
            return (result, state.post(actions))
        }
        deliver(actions)
        switch result {
        case .started(let id):
            return id
        case .waiting(let id), .suspended(let id):
            if deadline != nil { scheduleTimer() }
            return id
        case .full:
            throw AdmissionError(
                .queueFull, "Queue is full (capacity \(limits.capacity)); retry later or raise `QueueLimits.capacity`.",
                request: request)
        case .draining:
            throw AdmissionError(
                .queueDraining,
                "Queue is draining and accepts no new calls; make calls before `RequestQueue.drain()`, or use another "
                    + "queue.", request: request)
        }
    }

    /// Ends a running request.
    func finish(_ id: ID) {
        // The entry is released after unlocking: its handler may hold the last reference to an object whose
        // deinitializer calls this queue.
        let (entry, actions) = state.withLock { state in
            (state.work[id], state.post(state.work.finish(id)))
        }
        withExtendedLifetime(entry) { deliver(actions) }
    }

    /// Subtracts the waiting time from the total timeout of a request that starts. Finishes the request if nothing is
    /// left.
    /// - Throws: ``AdmissionError`` (`expired`).
    func start(_ request: HTTPRequest, _ id: ID, arrival: Duration) throws(AdmissionError) -> HTTPRequest {
        guard let total = request.options.timeouts.total else { return request }
        let remaining = total - (now - arrival)
        guard remaining > .zero else {
            finish(id)
            throw .expired(request)
        }
        var request = request
        request.options.timeouts.reduceTotal(to: remaining)
        return request
    }

    /// The error of a request that an action ended in the queue, or nil for other actions.
    static func error(_ action: QueueAction<ID>, _ request: HTTPRequest) -> (any Error)? {
        switch action {
        case .cancel: TransportError.cancelled(request)
        case .expire: AdmissionError.expired(request)
        case .drop: AdmissionError(.dropped, "Dropped from the full queue for a newer request.", request: request)
        case .start, .admit, .cancelRunning, .drained: nil
        }
    }

    // MARK: Performing actions

    /// - Returns: the number of requests that the event ended or cancelled.
    @discardableResult
    private func update(_ event: (inout Work) -> [Work.Action]) -> Int {
        let (count, actions) = state.withLock { state in
            let actions = event(&state.work)
            return (actions.count(where: \.endsItem), state.post(actions))
        }
        deliver(actions)
        return count
    }

    /// Performs actions, and those that other threads or handlers post meanwhile.
    private func deliver(_ actions: [Work.Action]) {
        var actions = actions
        for _ in 0..<64 where !actions.isEmpty {
            for action in actions { perform(action) }
            actions = state.withLock { $0.takeOutbox() }
        }
        guard !actions.isEmpty else { return }
        // Returns to the caller after 64 rounds, instead of delivering other threads' actions forever.
        thread.run { [actions] in self.deliver(actions) }
    }

    private func perform(_ action: Work.Action) {
        switch action {
        case .start(let (id, entry)): entry.handler?(.start(id))
        case .admit(let (id, entry)): entry.handler?(.admit(id))
        case .cancelRunning(let (id, entry)):
            // The request may have finished since the action was posted, and must then not receive it.
            if state.withLock({ $0.work[id] != nil }) { entry.handler?(.cancelRunning(id)) }
        case .cancel(let (id, entry)): entry.handler?(.cancel(id))
        case .expire(let (id, entry)): entry.handler?(.expire(id))
        case .drop(let (id, entry)): entry.handler?(.drop(id))
        case .drained:
            let waiters = state.withLock { state in
                defer { state.drainWaiters = [] }
                return state.drainWaiters
            }
            for waiter in waiters { waiter.fulfill(true) }
        }
    }

    /// Sets the timer for the earliest deadline. A timer that fires early only sets the next one.
    private func scheduleTimer() {
        guard let deadline = state.withLock({ $0.work.nextDeadline() }) else { return }
        // Handlers may block, which is forbidden on the timer thread.
        timers.schedule(timerID, at: deadline, { [weak self, thread] in thread.run { self?.timerFired() } })
    }

    private func timerFired() {
        let now = now
        update { $0.expire(now: now) }
        scheduleTimer()
    }
}

extension RequestQueue: OpenCall.Counter {
    package func callEnded() { update { $0.closeCall() } }
}
