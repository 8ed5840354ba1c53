public import Delegation
import Dispatch
import HTTPMessages
public import Queueing
import Synchronization
public import Transport

/// The vendor's manager, over the network.
public typealias ORAHTTPManager = HTTPManager<URLSessionTransport>

/// A request that was added.
public typealias ORACall = CallHandle

/// The way of a request: it waits for its turn, its redirects are followed, and what fails is repeated from the start. So
/// a try is a whole walk along the redirects, and while a request waits for its next one others have their turn.
typealias ORAStack<Base: Transport> = Retrying<Queued<Redirecting<Base>>, ORARetry>

/// Sends requests one after the other, and tells how each of them ended.
///
/// ```swift
/// ORAHTTPManager.shared().addRequest(request, completionHandler: { response in
///     print(response.data ?? response.error ?? "")
/// })
/// ```
/// ``Immediate`` requests go before the ``Normal`` ones that wait; otherwise the order is that in which they were added.
/// A request that failed waits beside the queue, and then takes its turn among the others again.
///
/// While the app is in the background the queue pauses, unless ``ORAConfigHTTPBackgroundTaskEnabled`` is `true`: what runs
/// is finished, the rest waits for the app to come back, repetitions included. May be used from any thread.
public final class HTTPManager<Base: Transport>: Sendable {
    /// What carries the requests.
    public let transport: Base
    /// Where requests wait for their turn: to see how many there are, and to pause them; to cancel them by their tags, but
    /// for those that failed and wait to be repeated, which are not in it just then: ``ORACall`` cancels these too.
    public let queue: RequestQueue
    let stack: ORAStack<Base>
    let background: BackgroundControl
    // One after the other, so that requests come to the queue in the order in which they were added; and not on the
    // threads that all tasks share, which callers may block.
    let executor = DispatchQueueExecutor(DispatchQueue(label: "patchbay.oracle"))
    private let deliveryPlace = Mutex(Delivery.main)

    /// A manager over a transport, such as a fake one.
    /// - Parameters:
    ///   - maximumConcurrentRequests: how many requests run at a time; default 1, as the vendor's queue. With more, a
    ///     request may be answered before one that was added earlier. Less than 1 counts as 1.
    ///   - backoff: the waits before repetitions, of which the vendor says nothing; default up to half a second, then
    ///     one, two and so on up to eight. A server that asks for another wait (`Retry-After`) gets it, up to a minute.
    ///   - settings: where ``ORAConfigHTTPBackgroundTaskEnabled`` is looked up.
    ///   - lifecycle: tells when the app goes to the background; default UIKit's notifications.
    ///   - clock: counts the waits.
    public init(
        transport: Base, maximumConcurrentRequests: Int = 1,
        backoff: ExponentialDelay = .exponential(base: .milliseconds(500), cap: .seconds(8)),
        settings: ORASettingsStore = .shared, lifecycle: some ORAAppLifecycle = ORANotifiedLifecycle(),
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.transport = transport
        queue = RequestQueue(
            limits: QueueLimits(running: maximumConcurrentRequests, runningPerKey: maximumConcurrentRequests),
            clock: clock)
        stack = Retrying(
            base: Queued(base: Redirecting(base: transport, clock: clock), queue: queue),
            strategy: .oracle(backoff: backoff), clock: clock)
        background = BackgroundControl(queue: queue, settings: settings, lifecycle: lifecycle)
    }

    /// Where completion handlers are called; default the main queue. A change is for requests that are added later.
    public var delivery: Delivery {
        get { deliveryPlace.withLock(\.self) }
        set { deliveryPlace.withLock { $0 = newValue } }
    }

    /// Adds a request, as it is now: what is changed in it later changes nothing.
    /// - Parameter completionHandler: called once, whatever happens, where ``delivery`` says; also for a request that
    ///   cannot be sent or was cancelled.
    /// - Returns: cancels the request, whether it waits or runs. The vendor returned nothing.
    @discardableResult
    public func addRequest(
        _ request: ORARequest, completionHandler: @escaping (ORAResponse) -> Void
    ) -> ORACall {
        let tag = request.requestTag
        let draft = Result { () throws(ORAError) in try request.draft() }
        let handler = PendingCallback(completionHandler)
        background.tell(.requestAdded)
        return CallHandle.start(delivery: delivery, executor: executor) { [stack] in
            // Nothing is awaited before the request is in the queue, so those added later come there later.
            try await stack.send(draft.get().httpRequest())
        } completion: { [background] result in
            handler.take()?(ORAResponse(result.mapError { ORAError($0) }, requestTag: tag))
            background.tell(.requestEnded)
        }
    }
}

extension HTTPManager where Base == URLSessionTransport {
    /// The program's manager. When it is first asked for, it loads the core module's values from `oracle.json` in the
    /// program's bundle, if they are newer than those that were loaded last.
    public static func shared() -> ORAHTTPManager { sharedManager }
}

private let sharedManager: ORAHTTPManager = {
    ORACoreDataContainer().loadFromConfigFile()
    return ORAHTTPManager(transport: .shared)
}()
