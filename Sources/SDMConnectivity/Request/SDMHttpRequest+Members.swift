import Delegation
import Synchronization

extension SDMHttpRequest {
    /// The settings as they are now.
    var settings: SDMRequestSettings { state.withLock(\.settings) }

    /// A setting.
    subscript<Value: Sendable>(path: WritableKeyPath<SDMRequestSettings, Value>) -> Value {
        get { state.withLock { $0.settings[keyPath: path] } }
        set { state.replace((\RequestState.settings as WritableKeyPath).appending(path: path), with: newValue) }
    }

    /// Receives the events; held weakly. See ``SDMHttpRequestDelegate``.
    public var delegate: AnyObject? {
        get { state.withLock(\.delivery.delegate).object }
        set { state.replace(\.delivery.delegate, with: WeakTarget(newValue)) }
    }

    /// Receives the progress of the request body; held weakly. See ``SDMProgressDelegate``.
    public var uploadProgressDelegate: AnyObject? {
        get { state.withLock(\.progress.uploadDelegate).object }
        set {
            state.replace(
                \.progress.uploadDelegate,
                with: ProgressReceiver.target(newValue, Callbacks(session.configuration.delivery), warn: warn))
        }
    }

    /// Receives the progress of the response body; held weakly. See ``SDMProgressDelegate``.
    public var downloadProgressDelegate: AnyObject? {
        get { state.withLock(\.progress.downloadDelegate).object }
        set {
            state.replace(
                \.progress.downloadDelegate,
                with: ProgressReceiver.target(newValue, Callbacks(session.configuration.delivery), warn: warn))
        }
    }

    /// Values of the app; default nil.
    public var userInfo: [AnyHashable: Any]! {
        get { state.withLock(\.userInfo).values }
        set { state.replace(\.userInfo, with: UserInfo(values: newValue)) }
    }

    /// The queue whose delegates are called for the request too; retained. ``SDMNetworkQueue/addOperation(_:)`` sets
    /// it.
    ///
    /// Setting it neither adds the request to a queue nor removes it from one.
    public var queue: SDMNetworkQueue? {
        get { state.withLock(\.membership.queue) }
        set { state.replace(\.membership.queue, with: newValue) }
    }

    /// Copies settings, headers, body and delegates, as they are now.
    func copyState(to copy: SDMHttpRequest) {
        let unstarted = state.withLock(\.unstarted)
        copy.state.withLock { $0 = unstarted }
    }
}

extension Mutex where Value: Sendable {
    /// Replaces a part of the value. The old one is released without the lock, since it may be an object of the app,
    /// which may use the owner of the lock then.
    func replace<Part: Sendable>(_ path: WritableKeyPath<Value, Part>, with new: Part) {
        var part = new
        withLock { swap(&$0[keyPath: path], &part) }
    }
}
