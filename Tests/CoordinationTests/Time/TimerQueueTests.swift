import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import Coordination

@Suite(.needsSlot) struct TimerQueueTests {
    private let clock = ManualClock()
    private let log = Numbers()

    private func schedule(_ timers: TimerQueue, _ seconds: Int) -> UInt64 {
        let id = timers.makeID()
        timers.schedule(id, at: .seconds(seconds), { [log] in log.append(seconds) })
        return id
    }

    private func advance(to seconds: Int, expecting numbers: [Int]) async throws {
        try await clock.waitForSleepers(1)
        await clock.advance(to: .init(offset: .seconds(seconds)))
        try await log.wait(for: numbers.count)
        #expect(log.all == numbers)
    }

    @Test func `timers fire once, in the order of their deadlines`() async throws {
        let timers = TimerQueue(AnyMonotonicClock(clock))
        for seconds in [5, 2, 9, 2, 7] { _ = schedule(timers, seconds) }
        try await clock.wait { $0.first?.offset == .seconds(2) }
        try await advance(to: 2, expecting: [2, 2])
        try await advance(to: 6, expecting: [2, 2, 5])
        try await advance(to: 100, expecting: [2, 2, 5, 7, 9])
    }

    @Test func `an earlier timer fires first, with one timer of the clock`() async throws {
        let timers = TimerQueue(AnyMonotonicClock(clock))
        for seconds in stride(from: 50, through: 1, by: -1) { _ = schedule(timers, seconds) }
        try await clock.wait { $0.map(\.offset) == [.seconds(1)] }
        try await advance(to: 1, expecting: [1])
    }

    @Test(
        arguments: [
            ([5], [true], 5), ([5, 9], [true, false], 5), ([5, 5], [true, false], 5), ([9, 5], [true, true], 5),
            ([9, 5, 7, 2, 3], [true, true, false, true, false], 2),
        ] as [([Int], [Bool], Int)])
    func `an ID keeps its earliest deadline and can be scheduled again after firing`(
        asked: [Int], isSet: [Bool], first: Int
    ) async throws {
        let timers = TimerQueue(AnyMonotonicClock(clock))
        let id = timers.makeID()
        func ask(_ seconds: Int) -> Bool {
            timers.schedule(id, at: .seconds(seconds), { [log] in log.append(seconds) })
        }
        #expect(asked.map(ask) == isSet)
        try await clock.wait { $0.map(\.offset) == [.seconds(first)] }
        try await advance(to: first, expecting: [first])
        #expect(ask(20))
        try await advance(to: 20, expecting: [first, 20])
        #expect(ask(30))
        timers.cancel(id)
        #expect(ask(40))
        try await clock.wait { $0.map(\.offset) == [.seconds(30)] }
        await clock.advance(to: .init(offset: .seconds(30)))
        try await advance(to: 40, expecting: [first, 20, 40])
    }

    @Test func `a cancelled timer does not fire`() async throws {
        let timers = TimerQueue(AnyMonotonicClock(clock))
        let first = schedule(timers, 1)
        _ = schedule(timers, 2)
        timers.cancel(first)
        timers.cancel(first)
        timers.cancel(4711)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        try await advance(to: 2, expecting: [2])
    }

    @Test func `a deadline in the past fires at once`() async throws {
        let timers = TimerQueue(AnyMonotonicClock(clock))
        _ = schedule(timers, -1)
        try await log.wait(for: 1)
        #expect(log.all == [-1])
    }

    @Test func `releasing the queue cancels its clock timer`() async throws {
        var timers: TimerQueue? = TimerQueue(AnyMonotonicClock(clock))
        let isReleased = { [weak timers] in timers == nil }
        _ = timers.map { schedule($0, 1) }
        try await clock.waitForSleepers(1)
        timers = nil
        #expect(isReleased())
        try await clock.wait { $0.isEmpty }
    }

    @Test func `concurrent timers from several threads fire once each`() async throws {
        let timers = TimerQueue(AnyMonotonicClock(ContinuousClock()))
        let fired = Numbers()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(number))
                    for _ in 0..<500 {
                        let moment = Duration.milliseconds(Int.random(in: -5...60, using: &generator))
                        let (kept, dropped) = (timers.makeID(), timers.makeID())
                        timers.schedule(kept, at: moment, { fired.append(1) })
                        timers.schedule(dropped, at: .seconds(86_400), { fired.append(2) })
                        timers.cancel(dropped)
                    }
                }
            }
        }
        try await fired.wait(for: 4000)
        #expect(fired.all.count == 4000 && !fired.all.contains(2))
    }

    @Test func `of two timers for one deadline, the one that is set late is not needed`() throws {
        var state = TimerQueue.State()
        let timer = AnyMonotonicClock.Timer {}
        let insertion = state.insert(1, at: .seconds(1)) { {} }
        let first = try #require(insertion?.wake)
        // It fires before the thread that has made it takes note of it, and another thread sets one for the same time.
        let afterFirst = state.didFire(first.number, at: .seconds(1)).next
        let laterInsertion = state.insert(2, at: .seconds(1)) { {} }
        let second = try #require(laterInsertion?.wake)
        let areNeeded = [state.didSet(timer, second.number), state.didSet(timer, first.number)]
        #expect(afterFirst == nil && areNeeded == [true, false] && state.wake?.number == second.number)
        // Nor does the first one, whose signal comes late, end the second.
        let afterLate = state.didFire(first.number, at: .zero).next
        #expect(afterLate == nil && state.wake?.number == second.number)
        let due = state.didFire(second.number, at: .seconds(1)).due
        #expect(due.count == 1 && state.wake == nil)
    }

    @Test(.needsAllSlots) func `fires while all threads of the cooperative pool are blocked`()
        async throws
    {
        let timers = TimerQueue(AnyMonotonicClock(ContinuousClock()))
        let hasFired = DispatchSemaphore(value: 0)
        timers.schedule(timers.makeID(), at: .milliseconds(100), { for _ in 0..<64 { hasFired.signal() } })
        await withTaskGroup(of: DispatchTimeoutResult.self) { group in
            // More tasks than threads; none of them ends before the timer has fired.
            for _ in 0..<64 { group.addTask { blockingWait(for: hasFired) } }
            for await result in group { #expect(result == .success) }
        }
    }
}
