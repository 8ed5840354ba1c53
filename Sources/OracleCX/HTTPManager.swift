import Coordination
public import Delegation
import Dispatch
public import HTTPMessages
public import Queueing
import Synchronization
public import Transport

/// The vendor's manager, by default over the network.
public typealias ORAHTTPManager = HTTPManager<AnyTransport>

/// A handle to an added request, which can be cancelled.
public typealias ORACall = CallHandle

/// Sends requests through a priority queue, with retries.
///
/// ```swift
/// ORAHTTPManager.shared().addRequest(request, completionHandler: { response in
///     print(response.statusCode ?? 0, response.data ?? Data())
/// })
/// ```
/// By default one request runs at a time per origin (scheme, host and port): ``Immediate`` requests first, then
/// ``Normal`` ones, each FIFO. Requests to different origins run concurrently, so a server that does not respond delays
/// no other. A request in backoff is outside the queue; its retry is submitted like a new request.
///
/// While the app is in the background the queue is paused, unless ``ORAConfigHTTPBackgroundTaskEnabled`` is `true`:
/// running requests finish, in a background task, and all others, retries included, wait until the app returns.
/// Thread-safe.
public final class HTTPManager<Base: Transport>: Sendable {
    /// The transport that sends the requests.
    public let transport: Base
    /// The queue of waiting and running requests, to count, pause or cancel them. A request in backoff is not in it;
    /// use ``ORACall`` to cancel that one.
    public let queue: RequestQueue
    let stack: ORAStack<Base>
    let background: BackgroundController
    /// Default options of each request.
    let options: RequestOptions
    // One thread, so that requests are submitted in the order in which they were added, and complete in the order in
    // which they ended. It runs no code of the app but completion handlers with `inline` delivery: see `ORAStack`.
    let executor = WorkerThreads(count: 1, name: "patchbay.oracle")
    private let deliverySetting = Mutex(Delivery.main)

    /// Creates a manager over a transport, such as a fake one.
    /// - Parameters:
    ///   - maximumConcurrentRequestsPerOrigin: concurrent requests per origin; default the setting
    ///     ``ORAConfigHTTPThreadCount``, which is 1 by default. With more than 1, a request can finish before one that
    ///     was added earlier. Values below 1 count as 1.
    ///   - backoff: backoff before retries, which the vendor does not document; default `ExponentialBackoff.oracle`.
    ///   - maximumRetryAfter: longest `Retry-After` to wait for; a response with a longer one is the last one.
    ///     Default 60 seconds.
    ///   - timeouts: timeouts of each request.
    ///   - maximumResponseBytes: maximum response body size in bytes; default 64 MiB.
    ///   - settings: store of ``ORAConfigHTTPBackgroundTaskEnabled`` and ``ORAConfigHTTPThreadCount``.
    ///   - lifecycle: source of app lifecycle events and background tasks; default UIKit's.
    ///   - clock: measures backoff and queue times.
    public init(
        transport: Base, maximumConcurrentRequestsPerOrigin: Int? = nil, backoff: ExponentialBackoff = .oracle,
        maximumRetryAfter: Duration = .seconds(60), timeouts: Timeouts = Timeouts(),
        maximumResponseBytes: Int = 64 << 20, settings: ORASettingsStore = .shared,
        lifecycle: some ORAAppLifecycle = ORANotifiedLifecycle(), clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.transport = transport
        options = RequestOptions(timeouts: timeouts, maximumResponseBytes: maximumResponseBytes)
        let perOrigin = maximumConcurrentRequestsPerOrigin ?? ORACoreDataContainer(store: settings).threadCount
        var limits = QueueLimits(maximumConcurrentPerKey: perOrigin)
        limits.maximumConcurrent = max(limits.maximumConcurrent, perOrigin)
        queue = RequestQueue(limits: limits, clock: clock)
        let retry = ORARetry.oracle(backoff: backoff, maximumRetryAfter: maximumRetryAfter)
        background = BackgroundController(queue: queue, settings: settings, lifecycle: lifecycle)
        stack = transport.oracleLayers(queue: queue, background: background, retry: retry, clock: clock)
    }

    /// Where completion handlers are called; default the main queue. A change affects requests added later.
    public var delivery: Delivery {
        get { deliverySetting.withLock(\.self) }
        set { deliverySetting.withLock { $0 = newValue } }
    }

    /// Adds a copy of a request; later changes to the request have no effect.
    /// - Parameter completionHandler: called exactly once, on ``delivery``, also for an invalid or cancelled request.
    /// - Returns: a handle that cancels the request, waiting or running. The vendor's method returned nothing.
    @discardableResult
    public func addRequest(
        _ request: ORARequest, completionHandler: @escaping (ORAResponse) -> Void
    ) -> ORACall {
        let (tag, observer) = (request.requestTag, request.observer)
        let request = Result { () throws(ORAError) in try request.httpRequest(options) }
        // Counted until its completion handler has returned, also while `perform` counts it too.
        background.handle(.requestAdded)
        return CallHandle.start(delivery: delivery, executor: executor) {
            // The layers above the queue submit the request before they suspend.
            try await self.perform(request.get(), observer)
        } completion: { [background] result in
            completionHandler(ORAResponse(result.mapError { ORAError($0) }, requestTag: tag))
            background.handle(.requestFinished)
        }
    }

    /// ``addRequest(_:completionHandler:)`` under the name that Swift's importer derives from the Objective-C one.
    @discardableResult
    public func add(_ request: ORARequest, completionHandler: @escaping (ORAResponse) -> Void) -> ORACall {
        addRequest(request, completionHandler: completionHandler)
    }
}

extension ExponentialBackoff {
    /// Default backoff of ``ORAHTTPManager``: up to 0.5 s, then up to 1, 2, 4 and 8 s, with full jitter.
    public static var oracle: ExponentialBackoff { .exponential(base: .milliseconds(500), cap: .seconds(8)) }
}
