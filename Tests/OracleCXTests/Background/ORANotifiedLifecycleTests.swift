import Foundation
import Synchronization
import TestSupport
import Testing

@testable import OracleCX

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

    @Test func `a background task of the application ends once; a refused one counts as expired`() {
        let system = FakeBackgroundTasks()
        let lifecycle = ORANotifiedLifecycle(center: NotificationCenter()) { system.tasks }
        let expired = Mutex(0)
        let ends = (0..<2).map { _ in lifecycle.beginBackgroundTask { expired.withLock { $0 += 1 } } }
        system.expire(2)
        #expect(expired.withLock(\.self) == 1 && system.begun == 2 && system.ended == [2])
        for end in ends { end() }
        #expect(system.ended == [2, 1])
        system.refuse()
        lifecycle.beginBackgroundTask { expired.withLock { $0 += 1 } }()
        #expect(expired.withLock(\.self) == 2 && system.ended == [2, 1])
    }

    @Test func `without an application there is no background task`() {
        let lifecycle = ORANotifiedLifecycle(center: NotificationCenter()) { nil }
        lifecycle.beginBackgroundTask { Issue.record("expired") }()
    }

    @Test func `without UIKit there is no background task`() {
        let end = ORANotifiedLifecycle(center: NotificationCenter()).beginBackgroundTask { Issue.record("expired") }
        end()
    }
}
