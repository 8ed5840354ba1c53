import Delegation
import Synchronization

extension SDMHttpRequest {
    /// A setting.
    subscript<Value: Sendable>(path: WritableKeyPath<SDMRequestSettings, Value>) -> Value {
        get { state.withLock { $0.settings[keyPath: path] } }
        set {
            var value = newValue
            // The old value is released without the lock, since it may be an object of the app.
            state.withLock { swap(&$0.settings[keyPath: path], &value) }
        }
    }

    /// Receives the events; held weakly. See ``SDMHttpRequestDelegate``.
    public var delegate: AnyObject? {
        get { state.withLock(\.delegate).object }
        set {
            let target = WeakTarget(newValue)
            state.withLock { $0.delegate = target }
        }
    }

    /// Receives the progress of the request body; held weakly. See ``SDMProgressDelegate``.
    public var uploadProgressDelegate: AnyObject? {
        get { state.withLock(\.uploadProgressDelegate).object }
        set {
            let target = WeakTarget(newValue)
            state.withLock { $0.uploadProgressDelegate = target }
        }
    }

    /// Receives the progress of the response body; held weakly. See ``SDMProgressDelegate``.
    public var downloadProgressDelegate: AnyObject? {
        get { state.withLock(\.downloadProgressDelegate).object }
        set {
            let target = WeakTarget(newValue)
            state.withLock { $0.downloadProgressDelegate = target }
        }
    }

    /// Values of the app; default nil.
    public var userInfo: [AnyHashable: Any]! {
        get { state.withLock(\.userInfo).values }
        set {
            var info = UserInfo(values: newValue)
            // The app's objects may call the request when they are released, so not within the lock.
            state.withLock { swap(&$0.userInfo, &info) }
        }
    }

    /// The queue whose delegates are called for the request too; retained. ``SDMNetworkQueue/addOperation(_:)`` sets it.
    ///
    /// Setting it neither adds the request to a queue nor removes it from one.
    public var queue: SDMNetworkQueue? {
        get { state.withLock(\.queue) }
        set {
            var queue = newValue
            state.withLock { swap(&$0.queue, &queue) }
        }
    }

    /// Copies settings, headers, body and delegates, as they are now.
    func copyState(to copy: SDMHttpRequest) {
        let ((settings, headers), body) = state.withLock { ($0.forCopy, $0.body.unbuilt) }
        let (delegate, upload, download, info) = state.withLock {
            ($0.delegate, $0.uploadProgressDelegate, $0.downloadProgressDelegate, $0.userInfo)
        }
        copy.state.withLock { state in
            state.settings = settings
            state.headers = headers
            state.body = body
            state.delegate = delegate
            state.uploadProgressDelegate = upload
            state.downloadProgressDelegate = download
            state.userInfo = info
        }
    }
}
