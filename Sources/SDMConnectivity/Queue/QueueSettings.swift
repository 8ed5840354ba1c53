import Delegation

/// The settings of a queue: delegates and selectors.
struct QueueSettings: Sendable {
    var delegate = WeakTarget(nil)
    var uploadProgressDelegate = WeakTarget(nil)
    var downloadProgressDelegate = WeakTarget(nil)
    var requestDidStartSelector: String?
    var requestDidReceiveResponseHeadersSelector: String?
    var requestWillRedirectSelector: String?
    var requestDidFinishSelector: String?
    var requestDidFailSelector: String?
    var queueDidFinishSelector: String?
    var showAccurateProgress = false
    /// False for the queue of a session, whose requests have progress of their own only.
    var showsProgress = true
    var userInfo = UserInfo()

    /// Removes delegates and selectors.
    mutating func removeDelegates() {
        var new = QueueSettings()
        new.showAccurateProgress = showAccurateProgress
        new.showsProgress = showsProgress
        new.userInfo = userInfo
        self = new
    }
}
