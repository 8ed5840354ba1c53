import Coordination
public import Foundation
import Synchronization
import SystemLibraries

/// A lifecycle from UIKit's notifications, with background tasks of `UIApplication`.
///
/// `UIApplicationDidEnterBackgroundNotification`, `UIApplicationWillEnterForegroundNotification`, their counterparts
/// for extensions (`NSExtensionHost…`) and `UIApplication` are looked up by name at run time, so UIKit is not imported.
/// Without UIKit, as on Linux and in command line tools, the app counts as in the foreground, and there are no
/// background tasks. An app launched in the background counts as in the foreground until the first notification.
public struct ORANotifiedLifecycle: ORAAppLifecycle {
    private static let states: KeyValuePairs = [
        "UIApplicationDidEnterBackgroundNotification": ORAAppState.background,
        "UIApplicationWillEnterForegroundNotification": ORAAppState.foreground,
        // App extensions receive these instead.
        "NSExtensionHostDidEnterBackgroundNotification": ORAAppState.background,
        "NSExtensionHostWillEnterForegroundNotification": ORAAppState.foreground,
    ]

    private let center: NotificationCenter
    private let tasks: @Sendable () -> BackgroundTasks?

    /// Observes a notification center, by default the one that UIKit uses.
    public init(center: NotificationCenter = .default) {
        self.init(center: center) { BackgroundTasks.sharedApplication(in: .process) }
    }

    /// - Parameter tasks: returns the system's background task functions; called for each task.
    init(center: NotificationCenter, tasks: @escaping @Sendable () -> BackgroundTasks?) {
        self.center = center
        self.tasks = tasks
    }

    /// Calls `handler` at each notification, on the posting thread: the main thread with UIKit.
    public func observe(_ handler: @escaping @Sendable (ORAAppState) -> Void) -> @Sendable () -> Void {
        let observation = Observation(center, handler)
        return { observation.end() }
    }

    /// Begins a background task of `UIApplication`. It ends when the returned closure is called, or when it expires,
    /// after `expirationHandler`. If the system refuses the task, `expirationHandler` is called at once.
    public func beginBackgroundTask(expirationHandler: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        guard let tasks = tasks() else { return {} }
        let task = BackgroundTask(tasks)
        task.begin(expirationHandler)
        return { task.end() }
    }

    private final class Observation: Sendable {
        private let center: NotificationCenter
        private let observers: Mutex<[any NSObjectProtocol]>

        init(_ center: NotificationCenter, _ handler: @escaping @Sendable (ORAAppState) -> Void) {
            self.center = center
            observers = Mutex(
                states.map { name, state in
                    center.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in
                        handler(state)
                    }
                })
        }

        func end() {
            let observers = observers.withLock { observers in
                defer { observers = [] }
                return observers
            }
            for observer in observers { center.removeObserver(observer) }
        }
    }
}
