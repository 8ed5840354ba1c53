public import Foundation
import Synchronization

/// Hears of the app's state by UIKit's notifications `UIApplicationDidEnterBackgroundNotification` and
/// `UIApplicationWillEnterForegroundNotification`.
///
/// It knows them by name and needs no UIKit. Where nobody posts them, as on Linux and in command line tools, the app
/// counts as being in the foreground all the time.
public struct ORANotifiedLifecycle: ORAAppLifecycle {
    private static let states: KeyValuePairs = [
        "UIApplicationDidEnterBackgroundNotification": ORAAppState.background,
        "UIApplicationWillEnterForegroundNotification": ORAAppState.foreground,
    ]

    private let center: NotificationCenter

    /// Listens at a center, by default the one that UIKit uses.
    public init(center: NotificationCenter = .default) { self.center = center }

    /// Calls `handler` at each notification, on the thread that posts it: the main thread, where UIKit does.
    public func observe(_ handler: @escaping @Sendable (ORAAppState) -> Void) -> @Sendable () -> Void {
        let observation = Observation(center, handler)
        return { observation.end() }
    }

    private final class Observation: Sendable {
        private let center: NotificationCenter
        private let observers: Mutex<[any NSObjectProtocol]>

        init(_ center: NotificationCenter, _ handler: @escaping @Sendable (ORAAppState) -> Void) {
            self.center = center
            observers = Mutex(
                states.map { name, state in
                    center.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in handler(state)
                    }
                })
        }

        func end() {
            observers.withLock { observers in
                for observer in observers { center.removeObserver(observer) }
                observers = []
            }
        }
    }
}
