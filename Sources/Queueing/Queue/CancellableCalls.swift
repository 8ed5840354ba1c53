/// Which calls of a ``Queued`` its queue can cancel while they run. While they wait it can cancel all of them.
///
/// A call that can be cancelled from elsewhere runs in a child task, which costs some 20 microseconds.
public enum CancellableCalls: Hashable, Sendable {
    /// Those whose request has a tag.
    case tagged
    /// All.
    case all
}
