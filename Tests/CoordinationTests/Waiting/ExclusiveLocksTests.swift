import PatchbayTestKit
import TestSupport
import Testing

@testable import Coordination

@Suite(.needsSlot) struct ExclusiveLocksTests {
    @Test func `calls with a common key run one at a time and in order, others at the same time`() async throws {
        let locks = ExclusiveLocks<String>()
        let order = Numbers()
        let first = try await locks.lock(["a", "b"])
        var calls: [Task<Void, any Error>] = []
        for number in 0..<4 {
            calls.append(
                Task {
                    let hold = try await locks.lock([number.isMultiple(of: 2) ? "a" : "b"])
                    order.append(number)
                    hold.release()
                })
            try await eventually("the calls wait") { locks.waiterCount == number + 1 }
        }
        #expect(locks.lockIfFree(["b"]) == nil)
        locks.lockIfFree(["c"])?.release()
        first.release()
        for call in calls { try await call.value }
        let ran = order.all
        #expect(ran.filter { $0 % 2 == 0 } == [0, 2] && ran.filter { $0 % 2 == 1 } == [1, 3])
        let hold = try #require(locks.lockIfFree(["a", "b"]))
        hold.release()
    }

    @Test func `a cancelled call ends its wait, and does not stop later ones`() async throws {
        let locks = ExclusiveLocks<Int>()
        let first = try await locks.lock([1])
        let second = Task { try await locks.lock([1, 2]).release() }
        try await eventually("the calls wait") { locks.waiterCount == 1 }
        let third = Task { try await locks.lock([2]).release() }
        try await eventually("the calls wait") { locks.waiterCount == 2 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        try await third.value
        first.release()
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await locks.lock([1]).release()
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(locks.lockIfFree([1, 2]) != nil)
    }

    @Test func `each call holds its keys alone, cancelled ones included`() async throws {
        let locks = ExclusiveLocks<Int>()
        let holders = Watched<[Int: Int]>([:])
        let overlaps = Numbers()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let keys = Set([number % 3, number % 5])
                    let call = Task {
                        let hold = try await locks.lock(keys)
                        holders.update { held in
                            for key in keys { held[key, default: 0] += 1 }
                            if keys.contains(where: { held[$0] != 1 }) { overlaps.append(number) }
                        }
                        await Task.yield()
                        holders.update { held in for key in keys { held[key, default: 0] -= 1 } }
                        hold.release()
                    }
                    if number.isMultiple(of: 7) { call.cancel() }
                    _ = await call.result
                }
            }
        }
        #expect(overlaps.all.isEmpty && locks.waiterCount == 0 && locks.lockIfFree([0, 1, 2, 3, 4]) != nil)
    }
}
