import Delegation
import Synchronization

extension SDMNetworkQueue {
    /// Receives the calls of the selectors; held weakly. See `SelectorTarget`.
    public var delegate: AnyObject? {
        get { settings.withLock(\.delegate).object }
        set { set(\.delegate, WeakTarget(newValue)) }
    }

    /// Receives the progress of all request bodies; held weakly. See ``SDMProgressDelegate``.
    public var uploadProgressDelegate: AnyObject? {
        get { settings.withLock(\.uploadProgressDelegate).object }
        set { set(\.uploadProgressDelegate, WeakTarget(newValue)) }
    }

    /// Receives the progress of all response bodies; held weakly. See ``SDMProgressDelegate``.
    public var downloadProgressDelegate: AnyObject? {
        get { settings.withLock(\.downloadProgressDelegate).object }
        set { set(\.downloadProgressDelegate, WeakTarget(newValue)) }
    }

    /// True to count progress in bytes, false to count each request as one unit; default false.
    public var showAccurateProgress: Bool {
        get { settings.withLock(\.showAccurateProgress) }
        set { set(\.showAccurateProgress, newValue) }
    }

    /// Values of the app; default nil.
    public var userInfo: [AnyHashable: Any]? {
        get { settings.withLock(\.userInfo).values }
        set { set(\.userInfo, UserInfo(values: newValue)) }
    }

    /// Sets ``delegate``.
    public func setDelegate(_ delegate: AnyObject?) { self.delegate = delegate }
    /// Sets ``uploadProgressDelegate``.
    public func setUploadProgressDelegate(_ delegate: AnyObject?) { uploadProgressDelegate = delegate }
    /// Sets ``downloadProgressDelegate``.
    public func setDownloadProgressDelegate(_ delegate: AnyObject?) { downloadProgressDelegate = delegate }
    /// Sets ``showAccurateProgress``.
    public func setShowAccurateProgress(_ isAccurate: Bool = true) { showAccurateProgress = isAccurate }
    /// Sets ``shouldCancelAllRequestsOnFailure``.
    public func setShouldCancelAllRequestsOnFailure(_ cancels: Bool) { shouldCancelAllRequestsOnFailure = cancels }

    /// Sets the method of the delegate for each attempt of a request, which it gets; default none.
    public func setRequestDidStartSelector(_ selector: some CustomStringConvertible) {
        set(\.requestDidStartSelector, selector.description)
    }
    /// Sets the method of the delegate for each finished request, which it gets; default none.
    public func setRequestDidFinishSelector(_ selector: some CustomStringConvertible) {
        set(\.requestDidFinishSelector, selector.description)
    }
    /// Sets the method of the delegate for each failed request, which it gets; default none.
    public func setRequestDidFailSelector(_ selector: some CustomStringConvertible) {
        set(\.requestDidFailSelector, selector.description)
    }
    /// Sets the method of the delegate for the end of all requests, failed ones included; it gets the queue. Default
    /// none.
    public func setQueueDidFinishSelector(_ selector: some CustomStringConvertible) {
        set(\.queueDidFinishSelector, selector.description)
    }

    private func set<Value: Sendable>(_ path: WritableKeyPath<QueueSettings, Value>, _ value: Value) {
        var value = value
        // The old value is released without the lock, since it may be an object of the app.
        settings.withLock { swap(&$0[keyPath: path], &value) }
    }

    /// Calls the delegate at the end of a request, after the request's own delegate.
    func deliverEnd(of request: SDMHttpRequest, _ error: SDMError?) {
        guard request.state.withLock(\.mainRequest) == nil else { return }
        perform(error == nil ? \.requestDidFinishSelector : \.requestDidFailSelector, with: request)
    }

    /// Calls the delegate at each attempt of a request.
    func deliverStart(of request: SDMHttpRequest) {
        guard request.state.withLock(\.mainRequest) == nil else { return }
        perform(\.requestDidStartSelector, with: request)
    }

    /// Calls the delegate when all requests have completed.
    func deliverDrain() { perform(\.queueDidFinishSelector, with: self) }

    private func perform(_ path: KeyPath<QueueSettings, String?>, with argument: Any) {
        let (target, selector) = settings.withLock { ($0.delegate, $0[keyPath: path]) }
        guard let object = target.object, let selector else { return }
        do throws(SelectorError) {
            try Selectors.perform(selector, on: object, with: [argument])
        } catch {
            warn("The queue's delegate cannot be called: \(error)")
        }
    }
}
