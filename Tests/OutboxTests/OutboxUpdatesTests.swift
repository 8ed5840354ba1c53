import Coordination
import PatchbayTestKit
import StoreCore
import Synchronization
import Testing

@testable import Outbox

@Suite struct OutboxUpdatesTests {
    @Test func `a read that fails is repeated after a second, without a change`() async throws {
        let clock = ManualClock()
        let signals = ChangeSignals()
        let readCount = Mutex(0)
        let updates = OutboxUpdates<Int>(signals: signals, clock: AnyMonotonicClock(clock)) {
            {
                let count = readCount.withLock { count in
                    count += 1
                    return count
                }
                guard count > 1 else { throw StoreError(.interrupted, "m") }
                return .init(values: [count])
            }
        }
        let value = Task {
            for await value in updates { return value as Int? }; return nil
        }
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        #expect(await value.value == 2)
    }

    @Test func `after the end no read is repeated, though it fails`() async throws {
        let clock = ManualClock()
        let signals = ChangeSignals()
        let updates = OutboxUpdates<Int>(signals: signals, clock: AnyMonotonicClock(clock)) {
            { throw StoreError(.io, "m") }
        }
        let values = Task { for await _ in updates { Issue.record("A value of a broken store.") } }
        try await clock.waitForSleepers(1)
        signals.finish()
        await clock.advance(by: .seconds(1))
        await values.value
    }

    @Test func `a cancelled reader gets no value that was read before`() async throws {
        let updates = OutboxUpdates<Int>(signals: ChangeSignals(), clock: .continuous) { { .init(values: [1, 2]) } }
        let values = Task {
            var values: [Int] = []
            for await value in updates {
                values.append(value)
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return values
        }
        #expect(await values.value == [1])
    }

    @Test func `a closed store ends the values`() async throws {
        let signals = ChangeSignals()
        let updates = OutboxUpdates<Int>(signals: signals, clock: .continuous) {
            { throw StoreError.closed }
        }
        signals.finish()
        for await _ in updates { Issue.record("A value of a closed store.") }
    }
}
