import Foundation
import OracleCX
import Synchronization
import Testing

/// A thread-safe log of observed states.
final class StateLog: Sendable {
    private let log = Mutex<[ORAAppState]>([])
    var states: [ORAAppState] { log.withLock(\.self) }
    func add(_ state: ORAAppState) { log.withLock { $0.append(state) } }
}

@Suite struct ORANotifiedLifecycleTests {
    private func post(_ name: String, to center: NotificationCenter) {
        center.post(name: Notification.Name(name), object: nil)
    }

    @Test func `notifications of UIKit and of extensions are observed until the observation ends`() {
        let center = NotificationCenter()
        let log = StateLog()
        let end = ORANotifiedLifecycle(center: center).observe(log.add)
        post("UIApplicationDidEnterBackgroundNotification", to: center)
        post("UIApplicationWillEnterForegroundNotification", to: center)
        post("UIApplicationDidBecomeActiveNotification", to: center)
        post("UIApplicationDidEnterBackgroundNotification", to: .default)
        #expect(log.states == [.background, .foreground])
        post("NSExtensionHostDidEnterBackgroundNotification", to: center)
        post("NSExtensionHostWillEnterForegroundNotification", to: center)
        #expect(log.states == [.background, .foreground, .background, .foreground])
        end()
        post("UIApplicationDidEnterBackgroundNotification", to: center)
        #expect(log.states.count == 4)
    }

    @Test func `without UIKit there is no background task`() {
        let end = ORANotifiedLifecycle(center: NotificationCenter()).beginBackgroundTask { Issue.record("expired") }
        end()
    }
}
