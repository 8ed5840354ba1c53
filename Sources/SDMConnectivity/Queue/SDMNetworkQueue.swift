import Coordination
import Delegation
import HTTPMessages
import Synchronization

/// A queue of requests with common progress.
///
/// ```swift
/// let queue = SDMNetworkQueue()
/// queue.setDelegate(self)
/// queue.setQueueDidFinishSelector("queueFinished:")
/// queue.addOperation(request)
/// queue.startBatch()
/// ```
/// It is suspended until ``startBatch()``, and runs up to four requests at a time. When one fails, it cancels the rest,
/// unless ``shouldCancelAllRequestsOnFailure`` is false. Requests retain their queue until they are complete. Delegates
/// are held weakly, have methods by selector, and called on the main queue unless the session's configuration says
/// otherwise. Thread-safe.
public final class SDMNetworkQueue: Sendable {
    let settings: Mutex<QueueSettings>
    let requests: Mutex<QueuedRequests>
    let progress = Mutex(QueueProgress())
    let callbacks: Callbacks
    let warn: @Sendable (String) -> Void

    init(_ configuration: SDMSession.Configuration, maximumConcurrent: Int, isSuspended: Bool, cancelsOnFailure: Bool) {
        settings = Mutex(QueueSettings())
        let state = QueueState(
            maximumConcurrent: maximumConcurrent, isSuspended: isSuspended, cancelsOnFailure: cancelsOnFailure)
        requests = Mutex(QueuedRequests(state: state))
        callbacks = Callbacks(configuration.delivery)
        warn = configuration.warn
    }

    /// Creates a suspended queue.
    /// - Parameter session: decides where delegates are called.
    public convenience init(session: SDMSession = .shared) {
        self.init(session.configuration, maximumConcurrent: 4, isSuspended: true, cancelsOnFailure: true)
    }

    /// Creates a suspended queue; the vendor's constructor.
    public static func queue() -> SDMNetworkQueue { SDMNetworkQueue() }

    // MARK: Requests

    /// Adds a request; without effect if it was started or added before, and after its end with a warning.
    ///
    /// With accurate progress in a suspended queue, a `HEAD` request before each `GET` asks for its length. If it
    /// fails, the `GET` fails with its error: it has the credentials of the `GET`, and asks the queue's delegate for
    /// others if the `GET` would, but no delegate of the `GET`.
    /// Requests that are added later are sent without.
    public func addOperation(_ request: SDMHttpRequest) {
        guard request.join(self) else { return request.warnIfEnded() }
        // The shared queue has requests that the app has started, also while it is suspended.
        if !isSuspended || self === request.session.sharedQueue { request.noteStart() }
        let (isAccurate, hasProgress) = settings.withLock { ($0.showAccurateProgress, $0.showsProgress) }
        if hasProgress { request.showAccurateProgress = isAccurate }
        // First, because a body turns the method into `POST`.
        if hasProgress, isAccurate { request.buildPostBody() }
        let method = try? HTTPMethod(request.requestMethod)
        let needsHead =
            hasProgress
            && QueueMeter.needsHead(
                method: method ?? .post, isAccurate: isAccurate, isSuspended: isSuspended)
        let head = needsHead ? request.makeHeadRequest(in: self) : nil
        // Before it can start.
        if hasProgress { announce(request, hasHead: needsHead) }
        if let head { request.wait(for: head) }
        perform { requests in
            if let head { requests.add(head, isUrgent: true) }
            requests.add(request)
            return requests.state.startWaiting()
        }
        // Another thread may have cancelled it before it was in the queue. A complete one that has yet to post its last
        // call leaves the queue after that.
        if request.state.withLock(\.hasPostedEnd) { requestEnded(request, request.error) }
    }

    /// Starts the requests.
    public func startBatch() { isSuspended = false }

    /// ``startBatch()`` under its name in ASIHTTPRequest.
    public func go() { startBatch() }

    /// Suspends until all requests are complete, also those that are added meanwhile; returns at once without any.
    ///
    /// A suspended queue does not start its requests: call ``startBatch()`` first. If it is suspended during the wait,
    /// such as by ``reset()``, the requests that are added after that are not waited for.
    /// - Throws: `CancellationError`; the requests continue.
    public func waitUntilFinished() async throws { try await wait(for: requests.withLock(\.awaited)) }

    /// Waits for requests, and then for those that were added meanwhile.
    func wait(for requests: [SDMHttpRequest]) async throws {
        var requests = requests
        while !requests.isEmpty {
            for request in requests { _ = try await request.completion.cancellableValue() }
            requests = self.requests.withLock(\.stillAwaited)
        }
    }

    /// Cancels all requests; each one fails with `requestCancelled`.
    public func cancelAllOperations() { perform { $0.state.cancelAll() } }

    /// Cancels all requests, removes the delegates and selectors, and suspends the queue.
    public func reset() {
        isSuspended = true
        settings.withLock { $0.removeDelegates() }
        // Released without the lock, since its requests may be the app's subclasses, whose `deinit` may call the queue.
        var progress = QueueProgress()
        self.progress.withLock { swap(&$0, &progress) }
        cancelAllOperations()
    }

    /// True while no request starts; true until ``startBatch()``.
    public var isSuspended: Bool {
        get { requests.withLock(\.state.isSuspended) }
        set { perform { $0.setSuspended(newValue) } }
    }

    /// The number of requests that are not complete.
    public var requestsCount: Int { requests.withLock(\.count) }

    /// The maximum number of requests at a time, 1 to 5; default 4. Other values count as the nearest of these.
    public var maxConcurrentOperationCount: Int {
        get { requests.withLock(\.state.maximumConcurrent) }
        set {
            perform { requests in
                requests.state.maximumConcurrent = min(max(newValue, 1), SDMSession.maximumConcurrentRequests)
                return requests.state.startWaiting()
            }
        }
    }

    /// Sets the maximum number of requests at a time.
    /// - Throws: ``SDMConnectivityException`` (`threadCountTooHigh`) above 5; nothing changes then.
    func setMaximumConcurrent(_ count: Int) throws(SDMConnectivityException) {
        guard count <= SDMSession.maximumConcurrentRequests else { throw .threadCountTooHigh(count) }
        maxConcurrentOperationCount = count
    }

    /// True to cancel all requests when one fails; default true.
    public var shouldCancelAllRequestsOnFailure: Bool {
        get { requests.withLock(\.state.cancelsOnFailure) }
        set { requests.withLock { $0.state.cancelsOnFailure = newValue } }
    }
}
