import Synchronization
import TestSupport
import Testing

@testable import Coordination

@Suite struct BackgroundTaskTests {
    private let system = FakeBackgroundTasks()

    private func begin(_ expired: @escaping @Sendable () -> Void) -> BackgroundTask {
        let task = BackgroundTask(system.tasks)
        task.begin(expired)
        return task
    }

    @Test func `a task ends once`() {
        let task = begin { Issue.record("expired") }
        #expect(system.begun == 1 && system.ended == [])
        task.end()
        task.end()
        #expect(system.ended == [1])
    }

    @Test func `an expired task has ended when the system's handler returns`() {
        let expired = Mutex(0)
        let task = begin { [system] in
            #expect(system.ended == [])
            expired.withLock { $0 += 1 }
        }
        system.expire(1)
        #expect(system.ended == [1] && expired.withLock(\.self) == 1)
        task.end()
        #expect(system.ended == [1])
    }

    @Test func `a refused task counts as expired`() {
        system.refuse()
        let expired = Mutex(0)
        let task = begin { expired.withLock { $0 += 1 } }
        #expect(expired.withLock(\.self) == 1)
        task.end()
        #expect(system.ended == [])
    }

    @Test
    func `a task ends once, before or after its identifier is known`() {
        var early = BackgroundTaskState.beginning
        #expect(early.end() == nil && early.began(7) == 7 && early.end() == nil)
        var late = BackgroundTaskState.beginning
        #expect(late.began(7) == nil && late.end() == 7 && late.end() == nil)
    }
}
