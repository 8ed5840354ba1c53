import Dispatch
import HTTPMessages
import Synchronization
import Transport

/// Requests that wait for their turn, for any number of transports.
///
/// ```swift
/// let queue = RequestQueue(limits: QueueLimits(running: 8, runningPerKey: 4), ageing: .oneLevel(every: .seconds(1)))
/// let json = Queued(base: URLSessionTransport.shared, queue: queue)
/// let images = Queued(base: Redirecting(base: URLSessionTransport.shared), queue: queue)
/// queue.pause()
/// ```
///
/// The priority and the tag of a request are in its options; what it shares ``QueueLimits/runningPerKey`` with are the
/// requests of its origin. Everything may be called on any thread, and nothing here blocks.
public final class RequestQueue: Sendable {
    /// Names one request in this queue.
    public typealias ID = QueueItemID

    /// What becomes of a request that was taken.
    enum Notice: Sendable {
        /// It was held, and is accepted.
        case accept
        /// It is its turn.
        case start
        /// It runs and is to stop.
        case stop
        /// It has ended without a turn.
        case end(QueueEnding)
    }
    typealias Handler = @Sendable (ID, Notice) -> Void

    /// What the queue keeps of a request.
    struct Entry: Sendable {
        let handler: Handler?
        let method: HTTPMethod
    }
    typealias Work = WorkQueue<Entry, Origin>

    private struct State {
        var work: Work
        /// What is to be done after that which somebody is doing.
        var outbox: [Work.Action] = []
        var isDelivering = false
        var drains: [Signal<Bool>] = []

        /// - Returns: what is to be done now; nothing when somebody is at it, who will see to these too.
        ///
        /// So what becomes of a request is heard in order, and a handler that ends its request at once does not call the
        /// next one from within itself.
        mutating func post(_ actions: [Work.Action]) -> [Work.Action] {
            guard isDelivering else {
                isDelivering = !actions.isEmpty
                return actions
            }
            outbox += actions
            return []
        }

        mutating func nextPost() -> [Work.Action] {
            defer { outbox = [] }
            isDelivering = !outbox.isEmpty
            return outbox
        }
    }

    private let state: Mutex<State>
    private let deadlines: Deadlines
    private let alarm: UInt64
    private let overflow = DispatchQueue(label: "patchbay.requestqueue")

    /// An empty queue.
    /// - Parameters:
    ///   - ageing: lets a long wait count, or nil for priorities alone.
    ///   - clock: counts waiting times and total deadlines.
    public init(
        limits: QueueLimits = QueueLimits(), ageing: QueueAgeing? = nil, clock: some Clock<Duration> = ContinuousClock()
    ) {
        state = Mutex(State(work: WorkQueue(limits: limits, ageing: ageing)))
        deadlines = Deadlines(Timeline(clock))
        alarm = deadlines.makeID()
    }

    deinit {
        // Only what waits in a paused queue and has no task can be left.
        for action in state.withLock({ $0.work.cancelAll() }) { perform(action) }
    }

    /// The time of the queue's clock.
    var now: Duration { deadlines.timeline.now }

    // MARK: Control

    /// The limits. Lower ones stop nothing that runs, and end nothing that waits.
    public var limits: QueueLimits {
        get { state.withLock(\.work.limits) }
        set { update { $0.setLimits(newValue) } }
    }

    /// How many requests run.
    public var runningCount: Int { state.withLock(\.work.runningCount) }
    /// How many requests wait.
    public var waitingCount: Int { state.withLock(\.work.waitingCount) }

    /// What runs and what waits. The queue is held up no longer than it takes to copy it.
    public var snapshot: QueueSnapshot<String> {
        let now = now
        let work = state.withLock(\.work)
        return work.snapshot(now: now, name: { "\($0.scheme)://\($0.host):\($0.port)" }, method: { $0.method })
    }

    /// Starts nothing new until ``resume(_:)`` was called for the same reason. What runs goes on. A second pause for one
    /// reason adds nothing.
    public func pause(_ reason: PauseReason = .program) { state.withLock { $0.work.pause(reason) } }

    /// Takes a reason to pause away. The queue goes on when it was the last.
    public func resume(_ reason: PauseReason = .program) { update { $0.resume(reason) } }

    /// Refuses new requests for good, and returns when all that were taken have ended. A paused queue goes on once it is
    /// resumed.
    /// - Throws: `TransportError` (`cancelled`) when the task is cancelled before that; the queue drains all the same.
    public func drain() async throws {
        let signal = Signal<Bool>()
        let isDrained = state.withLock { state in
            if !state.work.isDrained { state.drains.append(signal) }
            return state.work.isDrained
        }
        guard !isDrained else { return }
        update { $0.drain() }
        let hasDrained = await withTaskCancellationHandler {
            await signal.value
        } onCancel: {
            signal.send(false)
        }
        guard hasDrained else { throw TransportError(.cancelled, "The wait for the queue to drain was cancelled.") }
    }

    /// Cancels a request, whether it waits or runs.
    ///
    /// What runs in a ``Queued`` can be cancelled here if it has a tag, or if that layer was made with
    /// ``CancellableCalls/all``. Nothing happens to any other, which ends when the task that sent it is cancelled. What was
    /// handed in by ``submit(_:_:)`` hears ``Event/stopping``.
    /// - Returns: how many were cancelled: 0 when it has ended, was cancelled before or cannot be.
    @discardableResult
    public func cancel(_ id: ID) -> Int { update { $0.cancel(id) } }

    /// Does what ``cancel(_:)`` does with each request that has a tag.
    /// - Returns: how many were cancelled.
    @discardableResult
    public func cancel(tag: String) -> Int { update { $0.cancel(tag: tag) } }

    /// Does what ``cancel(_:)`` does with each request.
    /// - Returns: how many were cancelled.
    @discardableResult
    public func cancelAll() -> Int { update { $0.cancelAll() } }

    // MARK: Taking requests

    /// Takes a request.
    /// - Parameters:
    ///   - handler: hears what becomes of it, on any thread; or nil.
    ///   - isStoppable: whether the handler can stop it while it runs.
    ///   - arrival: the time.
    ///   - whenTaken: may see to what has become of it, and says what there is to do. Called under the lock.
    /// - Returns: its name.
    func take(
        _ request: HTTPRequest, _ handler: Handler?, isStoppable: Bool, arrival: Duration,
        whenTaken: (inout Work, ID, Work.Admission) -> [Work.Action]
    ) throws -> ID {
        let options = request.options
        if options.timeouts.total != nil { try options.timeouts.validate() }
        let key = request.origin
        let deadline = options.timeouts.total.map { arrival + $0 }
        let (admission, actions) = state.withLock { state in
            var (admission, actions) = state.work.submit(
                Entry(handler: handler, method: request.method), key: key, priority: options.priority,
                tag: options.tag, deadline: deadline, isStoppable: isStoppable, now: arrival)
            if let id = admission.id { actions += whenTaken(&state.work, id, admission) }
            return (admission, state.post(actions))
        }
        deliver(actions)
        switch admission {
        case .started(let id):
            return id
        case .waiting(let id), .held(let id):
            if deadline != nil { setAlarm() }
            return id
        case .full:
            throw QueueError(
                .full, "Queue is full (capacity \(limits.waiting)); retry later or raise `QueueLimits.waiting`.",
                request: request)
        case .draining:
            throw QueueError(
                .draining, "Queue is draining and accepts no requests; use another queue.", request: request)
        }
    }

    /// A request whose turn it was is done.
    func leave(_ id: ID) {
        // What its handler holds is let go only now that nobody holds the lock.
        let (entry, actions) = state.withLock { state in
            (state.work[id], state.post(state.work.finish(id)))
        }
        withExtendedLifetime(entry) { deliver(actions) }
    }

    /// The request with what is left of its total deadline, now that its turn has come; when nothing is left it leaves.
    /// - Throws: `TransportError` (`timedOut`).
    func begin(_ request: HTTPRequest, _ id: ID, arrival: Duration) throws(TransportError) -> HTTPRequest {
        guard let total = request.options.timeouts.total else { return request }
        let rest = total - (now - arrival)
        guard rest > .zero else {
            leave(id)
            throw Self.timedOut(request)
        }
        var request = request
        request.options.timeouts.total = rest
        return request
    }

    /// Why a request has ended without a turn.
    static func error(_ ending: QueueEnding, _ request: HTTPRequest) -> any Error {
        switch ending {
        case .cancelled: TransportError(.cancelled, "The call was cancelled.", request: request)
        case .expired: timedOut(request)
        case .dropped: QueueError(.dropped, "Dropped from the full queue for a newer request.", request: request)
        }
    }

    private static func timedOut(_ request: HTTPRequest) -> TransportError {
        let total = request.options.timeouts.total ?? .zero
        return TransportError(
            .timedOut, "Timed out in the queue: not started within \(total.secondsText).", request: request,
            phase: .turn)
    }

    // MARK: Acting on what the queue says

    /// - Returns: how many requests have ended or are to stop by it.
    @discardableResult
    private func update(_ event: (inout Work) -> [Work.Action]) -> Int {
        let (count, actions) = state.withLock { state in
            let actions = event(&state.work)
            return (actions.count(where: \.isCancelling), state.post(actions))
        }
        deliver(actions)
        return count
    }

    /// Does what is to be done, and what comes up meanwhile.
    private func deliver(_ actions: [Work.Action]) {
        var actions = actions
        for _ in 0..<64 where !actions.isEmpty {
            for action in actions { perform(action) }
            actions = state.withLock { $0.nextPost() }
        }
        guard !actions.isEmpty else { return }
        // A caller who wants to go on is not kept any longer by what others bring about.
        overflow.async { [actions] in self.deliver(actions) }
    }

    private func perform(_ action: Work.Action) {
        switch action {
        case .start(let id, let entry): entry.handler?(id, .start)
        case .accept(let id, let entry): entry.handler?(id, .accept)
        case .stop(let id, let entry):
            // It may have ended between that word and now, by its deadline for one, and has been told so.
            if state.withLock({ $0.work[id] != nil }) { entry.handler?(id, .stop) }
        case .end(let id, let entry, let ending): entry.handler?(id, .end(ending))
        case .drained:
            let drains = state.withLock { state in
                defer { state.drains = [] }
                return state.drains
            }
            for drain in drains { drain.send(true) }
        }
    }

    /// Makes sure that the queue is asked when its first deadline comes. An alarm that is too early only sets the next
    /// one.
    private func setAlarm() {
        guard let moment = state.withLock({ $0.work.nextDeadline() }) else { return }
        // A handler may block, which the thread of the deadlines must not.
        deadlines.schedule(alarm, at: moment, { [weak self, overflow] in overflow.async { self?.alarmRang() } })
    }

    private func alarmRang() {
        let now = now
        update { $0.expire(now: now) }
        setAlarm()
    }
}
