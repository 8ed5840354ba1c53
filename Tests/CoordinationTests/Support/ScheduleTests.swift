import Foundation
import PatchbayTestKit
import Synchronization
import Testing

@testable import Coordination

/// What waits and wakes, under schedules that seeds draw: on Linux no sanitizer sees a `Mutex`.
///
/// `PATCHBAY_SCHEDULES` sets the number of schedules of each test; `.ci/nightly` runs more. A schedule in which a task
/// waits for good, or in which the order is wrong, is named by its seed.
@Suite struct ScheduleTests {
    private static let count = ProcessInfo.processInfo.environment["PATCHBAY_SCHEDULES"].flatMap(Int.init) ?? 300

    /// Runs a schedule for each seed.
    private func schedules(_ body: (SeededExecutor, UInt64) -> Void) {
        for seed in 0..<UInt64(Self.count) { body(SeededExecutor(seed: seed), seed) }
    }

    /// Starts a task on an executor, and counts it until it ends.
    @discardableResult
    private func start(
        _ executor: SeededExecutor, _ running: Watched<Int>, _ body: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        running.update { $0 += 1 }
        return Task(executorPreference: executor) {
            await body()
            running.update { $0 -= 1 }
        }
    }

    @Test func `locks exclude each other, and each call gets them or is cancelled`() {
        schedules { executor, seed in
            let locks = ExclusiveLocks<Int>()
            let running = Watched(0)
            let holders = Mutex([Int: Int]())
            let overlaps = Watched(0)
            let calls = (0..<6).map { call in
                let keys = Set((0..<2).map { _ in executor.random(below: 3) })
                return start(executor, running) {
                    for _ in 0..<3 {
                        guard let hold = try? await locks.lock(keys) else { return }
                        holders.withLock { for key in keys { $0[key, default: 0] += 1 } }
                        for _ in 0..<executor.random(below: 3) { await executor.pause() }
                        if holders.withLock({ holders in keys.contains { holders[$0] != 1 } }) {
                            overlaps.update { $0 += 1 }
                        }
                        holders.withLock { for key in keys { $0[key, default: 0] -= 1 } }
                        hold.release()
                    }
                }
            }
            start(executor, running) {
                for call in calls.prefix(3) {
                    for _ in 0..<executor.random(below: 4) { await executor.pause() }
                    call.cancel()
                }
            }
            executor.run()
            #expect(running.value == 0 && overlaps.value == 0 && locks.waiterCount == 0, "seed \(seed)")
            #expect(locks.lockIfFree([0, 1, 2]) != nil, "seed \(seed)")
        }
    }

    @Test func `a channel delivers all elements in order, or ends on both sides`() {
        schedules { executor, seed in
            let channel = Channel<Int>(capacity: executor.random(below: 3))
            let running = Watched(0)
            let received = Watched<[Int]>([])
            let ended = Watched(false)
            let closes = executor.random(below: 3) == 0
            let producer = start(executor, running) {
                for number in 0..<8 {
                    guard await channel.room() else { break }
                    channel.send(number)
                }
                channel.finish()
            }
            start(executor, running) {
                while let number = try? await channel.next() {
                    received.update { $0.append(number) }
                    if closes, number == 4 { return channel.close() }
                }
                ended.update { $0 = true }
            }
            if executor.random(below: 4) == 0 { start(executor, running) { producer.cancel() } }
            executor.run()
            let numbers = received.value
            #expect(running.value == 0, "seed \(seed)")
            #expect(numbers == Array(0..<numbers.count), "seed \(seed)")
            #expect(producer.isCancelled || numbers.count == (closes ? 5 : 8), "seed \(seed)")
            #expect(closes || ended.value, "seed \(seed)")
        }
    }

    @Test func `each waiter of a promise wakes once, with its value or its cancellation`() {
        schedules { executor, seed in
            let promise = Promise<Int>()
            let running = Watched(0)
            let results = Watched<[Int]>([])
            let waiters = (0..<5).map { _ in
                start(executor, running) {
                    let value = (try? await promise.cancellableValue()) ?? -1
                    results.update { $0.append(value) }
                }
            }
            for number in 0..<2 {
                start(executor, running) {
                    await executor.pause()
                    promise.fulfill(number)
                }
            }
            start(executor, running) { for waiter in waiters.prefix(executor.random(below: 5)) { waiter.cancel() } }
            executor.run()
            let value = promise.current
            #expect(running.value == 0 && results.value.count == 5, "seed \(seed)")
            #expect(results.value.allSatisfy { $0 == -1 || $0 == value }, "seed \(seed)")
        }
    }

    @Test func `a sign-in that began before a sign-out has no effect, and a call keeps nothing for another user`() {
        schedules { executor, seed in
            let session = Session<[String], String>([])
            let running = Watched(0)
            let mistakes = Watched<[String]>([])
            for user in ["ada", "tea", "zoe"] {
                start(executor, running) {
                    let signIn = session.beginSignIn()
                    for _ in 0..<executor.random(below: 3) { await executor.pause() }
                    _ = session.commit(signIn, as: user) { $0 = [user] }
                    let snapshot = session.snapshot
                    guard let name = snapshot.user else { return }
                    for _ in 0..<executor.random(below: 3) { await executor.pause() }
                    session.keep(from: snapshot) { $0.append("\(name)'s") }
                    session.read { value in
                        guard let first = value.first else { return }
                        if value.dropFirst().contains(where: { $0 != "\(first)'s" }) { mistakes.update { $0 += value } }
                    }
                }
            }
            start(executor, running) {
                for _ in 0..<executor.random(below: 5) { await executor.pause() }
                let early = session.beginSignIn()
                session.reset { $0 = [] }
                if session.commit(early, as: "late", { $0 = ["late"] }) { mistakes.update { $0.append("late") } }
            }
            executor.run()
            #expect(running.value == 0 && mistakes.value.isEmpty, "seed \(seed): \(mistakes.value)")
        }
    }
}
