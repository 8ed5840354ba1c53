import Dispatch
import Foundation

/// The main queue, which is not always run by the main thread: after `dispatchMain()` on Linux, other threads run it.
package enum MainQueue {
    private static let key = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// True on the main thread, and in code that the main queue runs.
    package static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }
}
