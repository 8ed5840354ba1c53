public import Foundation
import Synchronization

/// The app's state by UIKit's notifications, and time in the background from `UIApplication`.
///
/// It finds `UIApplicationDidEnterBackgroundNotification`, `UIApplicationWillEnterForegroundNotification`, those of the
/// same meaning for extensions (`NSExtensionHost…`) and `UIApplication` by name at run time, so it does not import UIKit.
/// Without UIKit, as on Linux and in command line tools, the app counts as being in the foreground, and there is no time
/// to ask for. An app that the system launches in the background counts as being in the foreground until the first
/// notification.
public struct ORANotifiedLifecycle: ORAAppLifecycle {
    private static let states: KeyValuePairs = [
        "UIApplicationDidEnterBackgroundNotification": ORAAppState.background,
        "UIApplicationWillEnterForegroundNotification": ORAAppState.foreground,
        // What an app extension hears instead.
        "NSExtensionHostDidEnterBackgroundNotification": ORAAppState.background,
        "NSExtensionHostWillEnterForegroundNotification": ORAAppState.foreground,
    ]

    private let center: NotificationCenter
    private let tasks: @Sendable () -> BackgroundTasks?

    /// Listens at a center, by default the one that UIKit uses.
    public init(center: NotificationCenter = .default) {
        self.init(center: center) { BackgroundTasks.ofApplication(.process) }
    }

    /// - Parameter tasks: finds the app's background tasks each time that some are needed.
    init(center: NotificationCenter, tasks: @escaping @Sendable () -> BackgroundTasks?) {
        self.center = center
        self.tasks = tasks
    }

    /// Calls `handler` at each notification, on the thread that posts it: the main thread, where UIKit does.
    public func observe(_ handler: @escaping @Sendable (ORAAppState) -> Void) -> @Sendable () -> Void {
        let observation = Observation(center, handler)
        return { observation.end() }
    }

    /// Begins a background task of `UIApplication`. It ends when the returned closure is called, or else when it expires,
    /// after `expired`. When the system refuses the task, `expired` is called at once.
    public func beginBackgroundTime(_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        guard let tasks = tasks() else { return {} }
        let task = BackgroundTask(tasks)
        task.begin(expired)
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
