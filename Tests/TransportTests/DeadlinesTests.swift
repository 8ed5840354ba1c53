import Foundation
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Transport

@Suite("Deadlines", .needsSlot) struct DeadlinesTests {
    private final class Log: Sendable {
        private let numbers = Mutex<[Int]>([])
        var all: [Int] { numbers.withLock(\.self) }
        func note(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    private let clock = ManualClock()
    private let log = Log()

    private func schedule(_ deadlines: Deadlines, _ seconds: Int) -> UInt64 {
        let id = deadlines.makeID()
        deadlines.schedule(id, at: .seconds(seconds), { [log] in log.note(seconds) })
        return id
    }

    private func advance(to seconds: Int, expecting numbers: [Int]) async throws {
        try await clock.waitForSleepers(1)
        await clock.advance(to: .init(offset: .seconds(seconds)))
        try await eventually { log.all.count >= numbers.count }
        #expect(log.all == numbers)
    }

    @Test("rings in order and once, whatever order they were asked for") func order() async throws {
        let deadlines = Deadlines(Timeline(clock))
        for seconds in [5, 2, 9, 2, 7] { _ = schedule(deadlines, seconds) }
        try await eventually { clock.nextDeadline?.offset == .seconds(2) }
        try await advance(to: 2, expecting: [2, 2])
        try await advance(to: 6, expecting: [2, 2, 5])
        try await advance(to: 100, expecting: [2, 2, 5, 7, 9])
    }

    @Test("an earlier one comes first; an only sleeper is enough") func earlier() async throws {
        let deadlines = Deadlines(Timeline(clock))
        for seconds in stride(from: 50, through: 1, by: -1) { _ = schedule(deadlines, seconds) }
        try await eventually { clock.sleepers == 1 && clock.nextDeadline?.offset == .seconds(1) }
        try await advance(to: 1, expecting: [1])
    }

    @Test(
        "a name has one moment, the earliest it was asked for, and then may have another",
        arguments: [
            ([5], [true], 5), ([5, 9], [true, false], 5), ([5, 5], [true, false], 5), ([9, 5], [true, true], 5),
            ([9, 5, 7, 2, 3], [true, true, false, true, false], 2),
        ] as [([Int], [Bool], Int)])
    func name(asked: [Int], isSet: [Bool], first: Int) async throws {
        let deadlines = Deadlines(Timeline(clock))
        let id = deadlines.makeID()
        func ask(_ seconds: Int) -> Bool {
            deadlines.schedule(id, at: .seconds(seconds), { [log] in log.note(seconds) })
        }
        #expect(asked.map(ask) == isSet)
        try await eventually { clock.sleepers == 1 && clock.nextDeadline?.offset == .seconds(first) }
        try await advance(to: first, expecting: [first])
        #expect(ask(20))
        try await advance(to: 20, expecting: [first, 20])
        #expect(ask(30))
        deadlines.cancel(id)
        #expect(ask(40))
        try await eventually { clock.sleepers == 1 }
        await clock.advance(to: .init(offset: .seconds(30)))
        try await advance(to: 40, expecting: [first, 20, 40])
    }

    @Test("what was cancelled does not ring") func cancel() async throws {
        let deadlines = Deadlines(Timeline(clock))
        let first = schedule(deadlines, 1)
        _ = schedule(deadlines, 2)
        deadlines.cancel(first)
        deadlines.cancel(first)
        deadlines.cancel(4711)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        try await advance(to: 2, expecting: [2])
    }

    @Test("a moment in the past rings at once") func past() async throws {
        let deadlines = Deadlines(Timeline(clock))
        _ = schedule(deadlines, -1)
        try await eventually { log.all == [-1] }
    }

    @Test("nobody sleeps on when it is gone") func release() async throws {
        var deadlines: Deadlines? = Deadlines(Timeline(clock))
        let isReleased = { [weak deadlines] in deadlines == nil }
        _ = deadlines.map { schedule($0, 1) }
        try await clock.waitForSleepers(1)
        deadlines = nil
        #expect(isReleased())
        try await eventually { clock.sleepers == 0 }
    }

    @Test("many at once, from many threads, ring once each") func storm() async throws {
        let deadlines = Deadlines(Timeline(ContinuousClock()))
        let rings = Log()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(number))
                    for _ in 0..<500 {
                        let moment = Duration.milliseconds(Int.random(in: -5...60, using: &generator))
                        let (kept, dropped) = (deadlines.makeID(), deadlines.makeID())
                        deadlines.schedule(kept, at: moment, { rings.note(1) })
                        deadlines.schedule(dropped, at: .seconds(86_400), { rings.note(2) })
                        deadlines.cancel(dropped)
                    }
                }
            }
        }
        try await eventually { rings.all.count == 4000 }
        #expect(!rings.all.contains(2))
    }

    @Test("rings although every thread of the cooperative pool is blocked", .needsAllSlots) func blockedPool()
        async throws
    {
        let deadlines = Deadlines(Timeline(ContinuousClock()))
        let rang = DispatchSemaphore(value: 0)
        deadlines.schedule(deadlines.makeID(), at: .milliseconds(100), { for _ in 0..<64 { rang.signal() } })
        await withTaskGroup(of: DispatchTimeoutResult.self) { group in
            // More than there are threads; none of them ends before the deadline has rung.
            for _ in 0..<64 { group.addTask { blockingWait(for: rang) } }
            for await result in group { #expect(result == .success) }
        }
    }
}

/// Blocks the thread until a semaphore is signalled.
func blockingWait(for semaphore: DispatchSemaphore) -> DispatchTimeoutResult {
    semaphore.waitUnlessHung() ? .success : .timedOut
}
