public import Delegation
import Dispatch
public import HTTPMessages
public import Queueing
import Synchronization
public import Transport

/// The vendor's manager. Its transport is the network, unless the program configures another one.
public typealias ORAHTTPManager = HTTPManager<AnyTransport>

/// A request that was added.
public typealias ORACall = CallHandle

/// The way of a request: through the queue, along its redirects, and from the start again when it failed. So an attempt
/// follows all redirects, and a request that waits for a retry holds no slot of the queue.
typealias ORAStack<Base: Transport> = Retrying<Queued<Redirecting<Base>>, ORARetry>

/// Sends requests and reports the result of each.
///
/// ```swift
/// ORAHTTPManager.shared().addRequest(request, completionHandler: { response in
///     print(response.statusCode ?? 0, response.data ?? Data())
/// })
/// ```
/// To one origin (scheme, host and port) one request runs at a time by default: ``Immediate`` requests first, then
/// ``Normal`` ones, each in the order in which they were added. Requests to different origins run at the same time, so a
/// server that does not respond delays no other. A request that waits for a retry is outside the queue, and then takes
/// its turn like a new one.
///
/// While the app is in the background the queue is paused, unless ``ORAConfigHTTPBackgroundTaskEnabled`` is `true`:
/// running requests finish, all others wait until the app returns, retries included. May be used from any thread.
public final class HTTPManager<Base: Transport>: Sendable {
    /// The transport that sends the requests.
    public let transport: Base
    /// The requests that wait and run: count, pause or cancel them here. A request that waits for a retry is not in the
    /// queue meanwhile; ``ORACall`` cancels that one too.
    public let queue: RequestQueue
    let stack: ORAStack<Base>
    let background: BackgroundControl
    /// The options of each request that the request does not set itself.
    let options: RequestOptions
    // Serial, so that requests reach the queue in the order in which they were added; and not on the cooperative pool,
    // whose threads callers may block.
    let executor = DispatchQueueExecutor(DispatchQueue(label: "patchbay.oracle"))
    private let deliveryPlace = Mutex(Delivery.main)

    /// A manager over a transport, such as a fake one.
    /// - Parameters:
    ///   - maximumConcurrentRequestsPerOrigin: the number of requests that run at a time for one origin; default the
    ///     setting ``ORAConfigHTTPThreadCount``, which is 1 by default. With more, a request may end before one that was
    ///     added earlier. Less than 1 counts as 1.
    ///   - backoff: the waits before retries, which the vendor does not document; default up to half a second, then one,
    ///     two and so on up to eight.
    ///   - maximumRetryAfter: the longest wait that a server may ask for (`Retry-After`); a request whose server asks for
    ///     more ends with an error. Default a minute.
    ///   - timeouts: the timeouts of each request.
    ///   - maximumResponseBytes: the largest response body; default 64 MiB.
    ///   - settings: the store of ``ORAConfigHTTPBackgroundTaskEnabled`` and ``ORAConfigHTTPThreadCount``.
    ///   - lifecycle: the source of the app's transitions to the background and back; default UIKit's notifications.
    ///   - clock: counts the waits.
    public init(
        transport: Base, maximumConcurrentRequestsPerOrigin: Int? = nil, backoff: ExponentialDelay = .oracle,
        maximumRetryAfter: Duration = .seconds(60), timeouts: Timeouts = Timeouts(),
        maximumResponseBytes: Int = 64 << 20, settings: ORASettingsStore = .shared,
        lifecycle: some ORAAppLifecycle = ORANotifiedLifecycle(), clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.transport = transport
        options = RequestOptions(timeouts: timeouts, maximumResponseBytes: maximumResponseBytes)
        let perOrigin = maximumConcurrentRequestsPerOrigin ?? ORACoreDataContainer(store: settings).threadCount
        var limits = QueueLimits(runningPerKey: perOrigin)
        limits.running = max(limits.running, perOrigin)
        queue = RequestQueue(limits: limits, clock: clock)
        stack = Retrying(
            base: Queued(base: Redirecting(base: transport, clock: clock), queue: queue),
            strategy: .oracle(backoff: backoff, maximumRetryAfter: maximumRetryAfter), clock: clock)
        background = BackgroundControl(queue: queue, settings: settings, lifecycle: lifecycle)
    }

    /// The place where completion handlers are called; default the main queue. A change affects requests that are added
    /// later.
    public var delivery: Delivery {
        get { deliveryPlace.withLock(\.self) }
        set { deliveryPlace.withLock { $0 = newValue } }
    }

    /// Adds a copy of a request; later changes to the request have no effect.
    /// - Parameter completionHandler: called exactly once, where ``delivery`` says, also for a request that cannot be
    ///   sent or is cancelled.
    /// - Returns: a handle that cancels the request, whether it waits or runs. The vendor's method returned nothing.
    @discardableResult
    public func addRequest(
        _ request: ORARequest, completionHandler: @escaping (ORAResponse) -> Void
    ) -> ORACall {
        let tag = request.requestTag
        let draft = Result { () throws(ORAError) in try request.draft(options) }
        let handler = PendingCallback(completionHandler)
        background.tell(.requestAdded)
        return CallHandle.start(delivery: delivery, executor: executor) { [stack] in
            // Nothing is awaited before the request is in the queue, so that the order is kept.
            try await stack.send(draft.get().httpRequest())
        } completion: { [background] result in
            handler.take()?(ORAResponse(result.mapError { ORAError($0) }, requestTag: tag))
            background.tell(.requestEnded)
        }
    }

    /// ``addRequest(_:completionHandler:)`` under the name that Swift's importer derives from the Objective-C one.
    @discardableResult
    public func add(_ request: ORARequest, completionHandler: @escaping (ORAResponse) -> Void) -> ORACall {
        addRequest(request, completionHandler: completionHandler)
    }
}

extension ExponentialDelay {
    /// The backoff of ``ORAHTTPManager``: up to half a second, then up to one, two, four and eight seconds.
    public static var oracle: ExponentialDelay { .exponential(base: .milliseconds(500), cap: .seconds(8)) }
}
