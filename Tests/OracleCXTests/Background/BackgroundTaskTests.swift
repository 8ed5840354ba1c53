import Foundation
import Synchronization
import Testing

@testable import OracleCX

/// A fake system that grants or refuses background tasks and expires them on demand.
private final class FakeTasks: Sendable {
    private struct State {
        var last: UInt = 0
        var expirations: [UInt: @Sendable () -> Void] = [:]
        var ended: [UInt] = []
        var isRefusing = false
    }
    private let state = Mutex(State())

    var tasks: BackgroundTasks {
        BackgroundTasks(
            begin: { expired in
                self.state.withLock { state in
                    guard !state.isRefusing else { return 0 }
                    state.last += 1
                    state.expirations[state.last] = expired
                    return state.last
                }
            }, end: { task in self.state.withLock { $0.ended.append(task) } })
    }
    var begun: UInt { state.withLock(\.last) }
    var ended: [UInt] { state.withLock(\.ended) }
    func refuse() { state.withLock { $0.isRefusing = true } }
    func expire(_ task: UInt) { state.withLock { $0.expirations[task] }?() }
}

@Suite struct BackgroundTaskTests {
    private let system = FakeTasks()

    private func lifecycle(_ center: NotificationCenter = NotificationCenter()) -> ORANotifiedLifecycle {
        ORANotifiedLifecycle(center: center) { [system] in system.tasks }
    }

    @Test func `a task ends once`() {
        let end = lifecycle().beginBackgroundTask { Issue.record("expired") }
        #expect(system.begun == 1 && system.ended == [])
        end()
        end()
        #expect(system.ended == [1])
    }

    @Test func `an expired task has ended when the system's handler returns`() {
        let expired = Mutex(0)
        let end = lifecycle().beginBackgroundTask { [system] in
            #expect(system.ended == [])
            expired.withLock { $0 += 1 }
        }
        system.expire(1)
        #expect(system.ended == [1] && expired.withLock(\.self) == 1)
        end()
        #expect(system.ended == [1])
    }

    @Test func `a refused task counts as expired`() {
        system.refuse()
        let expired = Mutex(0)
        let end = lifecycle().beginBackgroundTask { expired.withLock { $0 += 1 } }
        #expect(expired.withLock(\.self) == 1)
        end()
        #expect(system.ended == [])
    }

    @Test func `without an application there is no task`() {
        let lifecycle = ORANotifiedLifecycle(center: NotificationCenter()) { nil }
        lifecycle.beginBackgroundTask { Issue.record("expired") }()
    }

    @Test
    func `a task ends once, before or after its identifier is known`() {
        var early = BackgroundTaskState.beginning
        #expect(early.end() == nil && early.began(7) == 7 && early.end() == nil)
        var late = BackgroundTaskState.beginning
        #expect(late.began(7) == nil && late.end() == 7 && late.end() == nil)
    }
}
