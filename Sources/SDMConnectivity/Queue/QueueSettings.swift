import Delegation

/// The settings of a queue: delegates and selectors.
struct QueueSettings: Sendable {
    var delegate = WeakTarget(nil)
    var uploadProgressDelegate = WeakTarget(nil)
    var downloadProgressDelegate = WeakTarget(nil)
    var requestDidStartSelector: String?
    var requestDidFinishSelector: String?
    var requestDidFailSelector: String?
    var queueDidFinishSelector: String?
    var showAccurateProgress = false
    /// False for the queue of a session, whose requests have progress of their own only.
    var showsProgress = true
    var userInfo = UserInfo()
}

/// The progress of a queue.
struct QueueProgress {
    var upload = QueueMeter()
    var download = QueueMeter()
    /// Changes that are not delivered yet, in order.
    var pending: [Report] = []

    /// Changes of one direction, for its delegate.
    struct Report: Sendable {
        let target: WeakTarget
        let direction: TransferProgress.Direction
        let changes: [ProgressChange]
        let request: SDMHttpRequest
    }
}
