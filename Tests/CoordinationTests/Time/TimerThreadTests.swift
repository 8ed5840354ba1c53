import PatchbayTestKit
import TestSupport
import Testing

@testable import Coordination

@Suite(.needsSlot) struct TimerThreadTests {
    private let timer = TimerThread.shared

    /// Calls `schedule` on the thread itself, which calls nothing else meanwhile.
    private func whileHeld(_ schedule: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            timer.schedule(at: .now) {
                schedule()
                continuation.resume()
            }
        }
    }

    @Test func `fires in the order of deadlines, and equal deadlines in FIFO order`() async throws {
        let log = Numbers()
        let leaving = Gate()
        await whileHeld { [timer] in
            let now = ContinuousClock.now
            for (number, milliseconds) in [30, 10, 20, 10, -5, 10].enumerated() {
                timer.schedule(at: now + .milliseconds(milliseconds)) { log.append(number) }
            }
            timer.schedule(at: now + .milliseconds(31)) { leaving.open() }
        }
        try await leaving.wait()
        #expect(log.all == [4, 1, 3, 5, 2, 0])
    }

    @Test func `never fires early`() async throws {
        for microseconds in [1, 900, 1100, 5000] {
            let moment = ContinuousClock.now + .microseconds(microseconds)
            let called = Watched<ContinuousClock.Instant?>(nil)
            timer.schedule(at: moment) { called.update { $0 = .now } }
            let time = try await called.wait { $0 != nil }
            #expect(try #require(time) >= moment)
        }
    }

    @Test func `a cancelled timer does not fire and releases its captures`() async throws {
        final class Held: Sendable {
            let isReleased: Gate
            init(_ isReleased: Gate) { self.isReleased = isReleased }
            deinit { isReleased.open() }
        }
        let log = Numbers()
        let moment = ContinuousClock.now
        let isReleased = Gate()
        await whileHeld { [timer] in
            let held = Held(isReleased)
            let ids = (0..<4).map { number in
                timer.schedule(at: moment) { withExtendedLifetime(held) { log.append(number) } }
            }
            for number in [0, 2] { timer.cancel(ids[number], at: moment) }
            timer.cancel(ids[2], at: moment)
            timer.schedule(at: moment) { log.append(4) }
        }
        try await log.wait { $0.contains(4) }
        #expect(log.all == [1, 3, 4])
        try await isReleased.wait()
    }

    @Test func `runs tasks`() async {
        let number = await Task(executorPreference: timer) {
            await Task.yield()
            return 7
        }.value
        #expect(number == 7)
    }
}
