import Synchronization

// The methods of a queue's delegate: texts such as "requestDone:"; the setters also take `#selector(requestDone)`.

extension SDMNetworkQueue {
    /// The method of the delegate for each attempt of a request, which it gets; default nil, none.
    public var requestDidStartSelector: String? {
        get { settings.withLock(\.requestDidStartSelector) }
        set { settings.replace(\.requestDidStartSelector, with: newValue) }
    }

    /// The method of the delegate for the fields of each response; it gets the request and the fields; default nil,
    /// none.
    public var requestDidReceiveResponseHeadersSelector: String? {
        get { settings.withLock(\.requestDidReceiveResponseHeadersSelector) }
        set { settings.replace(\.requestDidReceiveResponseHeadersSelector, with: newValue) }
    }

    /// The method of the delegate that decides about redirects; default nil, none.
    ///
    /// It gets the request and the target, and calls ``SDMHttpRequest/redirect(to:)``. The request's own delegate does
    /// not decide then.
    public var requestWillRedirectSelector: String? {
        get { settings.withLock(\.requestWillRedirectSelector) }
        set { settings.replace(\.requestWillRedirectSelector, with: newValue) }
    }

    /// The method of the delegate for each finished request, which it gets; default nil, none.
    public var requestDidFinishSelector: String? {
        get { settings.withLock(\.requestDidFinishSelector) }
        set { settings.replace(\.requestDidFinishSelector, with: newValue) }
    }

    /// The method of the delegate for each failed request, which it gets; default nil, none.
    public var requestDidFailSelector: String? {
        get { settings.withLock(\.requestDidFailSelector) }
        set { settings.replace(\.requestDidFailSelector, with: newValue) }
    }

    /// The method of the delegate for the end of all requests, failed ones included; it gets the queue; default nil,
    /// none.
    public var queueDidFinishSelector: String? {
        get { settings.withLock(\.queueDidFinishSelector) }
        set { settings.replace(\.queueDidFinishSelector, with: newValue) }
    }

    /// Sets ``requestDidStartSelector``.
    public func setRequestDidStartSelector(_ selector: some CustomStringConvertible) {
        requestDidStartSelector = selector.description
    }
    /// Sets ``requestDidReceiveResponseHeadersSelector``.
    public func setRequestDidReceiveResponseHeadersSelector(_ selector: some CustomStringConvertible) {
        requestDidReceiveResponseHeadersSelector = selector.description
    }
    /// Sets ``requestWillRedirectSelector``.
    public func setRequestWillRedirectSelector(_ selector: some CustomStringConvertible) {
        requestWillRedirectSelector = selector.description
    }
    /// Sets ``requestDidFinishSelector``.
    public func setRequestDidFinishSelector(_ selector: some CustomStringConvertible) {
        requestDidFinishSelector = selector.description
    }
    /// Sets ``requestDidFailSelector``.
    public func setRequestDidFailSelector(_ selector: some CustomStringConvertible) {
        requestDidFailSelector = selector.description
    }
    /// Sets ``queueDidFinishSelector``.
    public func setQueueDidFinishSelector(_ selector: some CustomStringConvertible) {
        queueDidFinishSelector = selector.description
    }

    // The other setters.

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
    /// Sets ``userInfo``.
    public func setUserInfo(_ info: [AnyHashable: Any]?) { userInfo = info }
    /// Sets ``isSuspended``.
    public func setSuspended(_ isSuspended: Bool) { self.isSuspended = isSuspended }
    /// Sets ``maxConcurrentOperationCount``.
    public func setMaxConcurrentOperationCount(_ count: Int) { maxConcurrentOperationCount = count }
}
