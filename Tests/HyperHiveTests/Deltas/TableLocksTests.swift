import DeltaSync
import HTTPMessages
import PatchbayTestKit
import StoreCore
import Synchronization
import TestSupport
import Testing

@testable import HyperHive

@Suite struct TableLocksTests {
    // MARK: State machine

    /// The results of some steps: `+1:ab` adds call 1 for the tables a and b, `?1:ab` one that must not wait, `-1` releases
    /// a call, `x1` cancels it.
    private func outcome(_ steps: String) -> String {
        var queue = TableLockQueue<UInt64>()
        var results: [String] = []
        for step in steps.split(separator: " ") {
            let parts = step.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
            let id = parts.first.flatMap { UInt64($0) } ?? 0
            switch step.first {
            case "-": results.append("\(queue.release(id))")
            case "x": results.append(queue.cancel(id).map { "cancelled \($0.cancelled) \($0.started)" } ?? "none")
            default:
                let tables = Set((parts.last ?? "").map { SQLIdentifier(String($0)) })
                let mayWait = step.first == "+"
                let holds = queue.add(id, tables, mayWait ? id : nil)
                results.append(holds ? "holds" : mayWait ? "waits" : "refused")
            }
        }
        return results.joined(separator: ", ")
    }

    @Test(arguments: [
        ("+1:a +2:b +3:", "holds, holds, holds"), ("+1:a +2:A", "holds, waits"),
        ("+1:a +2:a +3:a -1 -2 -3 +4:a", "holds, waits, waits, [2], [3], [], holds"),
        // All tables at once, and no later call before them.
        ("+1:a +2:ab +3:b +4:c -1 -2", "holds, waits, waits, holds, [2], [3]"),
        ("+1:ab +2:a +3:b +4:ab -1 -3 -2", "holds, waits, waits, waits, [2, 3], [], [4]"),
        ("+1:a +2:b +3:ab -2 -1", "holds, holds, waits, [], [3]"),
        ("+1:a ?2:a ?3:b +4:ab ?5:b -3", "holds, refused, holds, waits, refused, []"),
        ("+1:a +2:ab +3:b x2 x2", "holds, waits, waits, cancelled 2 [3], none"),
        ("+1:a +2:a +3:a x2 -1", "holds, waits, waits, cancelled 2 [], [3]"),
        ("+1:a x1 x7 +2:a", "holds, none, none, waits"),
    ])
    func `the state machine`(_ steps: String, _ expected: String) { #expect(outcome(steps) == expected) }

    @Test func `all calls hold their tables once, never two of them the same one, and the oldest first`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<50 {
            var queue = TableLockQueue<UInt64>()
            var (tables, holding, done): ([UInt64: Set<SQLIdentifier>], [UInt64], [UInt64]) = ([:], [], [])
            while done.count < 30 {
                if tables.count < 30, Bool.random(using: &random) {
                    let id = queue.makeID()
                    let names = Set((0..<3).map { _ in SQLIdentifier("t\(Int.random(in: 0..<5, using: &random))") })
                    tables[id] = names
                    if queue.add(id, names, id) { holding.append(id) }
                } else if let id = holding.randomElement(using: &random) {
                    holding.removeAll { $0 == id }
                    done.append(id)
                    let started = queue.release(id)
                    #expect(started == started.sorted())
                    holding += started
                } else {
                    // Nothing holds tables, so nothing waits.
                    #expect(queue.waiterCount == 0)
                }
                let held = holding.flatMap { tables[$0] ?? [] }
                #expect(held.count == Set(held).count)
            }
            #expect(Set(done).count == 30)
            for (id, names) in tables {
                let earlier = done.prefix { $0 != id }
                for other in 1..<id where tables[other]?.isDisjoint(with: names) == false {
                    #expect(earlier.contains(other))
                }
            }
        }
    }

    // MARK: Calls

    @Test(.needsSlot) func `calls with the same tables run one after the other, in their order`() async throws {
        let locks = TableLocks()
        let gate = Gate()
        let order = Mutex<[Int]>([])
        let first = Task { try await locks.withLock(["a"]) { try await gate.wait() } }
        try await gate.waitForWaiters(1)
        var others: [Task<Void, any Error>] = []
        for number in 1...5 {
            others.append(
                Task { @Sendable in
                    try await locks.withLock(["A", "b"]) { order.withLock { $0.append(number) } }
                })
            try await eventually("call \(number) waits") { locks.waiterCount == number }
        }
        #expect(try await locks.withLock(["c"]) { 7 } == 7)
        gate.open()
        for call in [first] + others { try await call.value }
        #expect(order.withLock(\.self) == [1, 2, 3, 4, 5])
    }

    @Test(.needsSlot) func `a waiting call that is cancelled lets later ones run`() async throws {
        let locks = TableLocks()
        let gate = Gate()
        let first = Task { try await locks.withLock(["a"]) { try await gate.wait() } }
        try await gate.waitForWaiters(1)
        let second = Task { try await locks.withLock(["a", "b"]) {} }
        try await eventually("the second call waits") { locks.waiterCount == 1 }
        let third = Task { try await locks.withLock(["b"]) {} }
        try await eventually("the third call waits") { locks.waiterCount == 2 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        try await third.value
        #expect(locks.waiterCount == 0)
        let early = Task {
            try? await gate.wait()
            try await locks.withLock(["a"]) {}
        }
        early.cancel()
        await #expect(throws: CancellationError.self) { try await early.value }
        gate.open()
        try await first.value
        try await locks.withLock(["a", "b"]) {}
    }

    @Test func `a call that must not wait is busy, and an error frees the tables`() async throws {
        let locks = TableLocks()
        try await locks.withLock(["a"]) {
            let error = #expect(throws: DeltaError.self) { try locks.withLockIfFree(["A", "b"]) {} }
            #expect(error?.code == .busy)
            let other = try locks.withLockIfFree(["b"]) { 7 }
            #expect(other == 7)
        }
        struct Broken: Error {}
        await #expect(throws: Broken.self) { try await locks.withLock(["a"]) { throw Broken() } }
        #expect(throws: Broken.self) { try locks.withLockIfFree(["a"]) { throw Broken() } }
        try locks.withLockIfFree(["a"]) {}
    }

    @Test(.needsSlot) func `a call never waits within another one, but its tasks do after it`() async throws {
        let (locks, others) = (TableLocks(), TableLocks())
        let (end, gate) = (Gate(), Gate())
        let late = try await locks.withLock(["a"]) {
            try await locks.withLock(["b"]) {}
            for tables in [["a"], ["b", "a"]] as [Set<SQLIdentifier>] {
                let error = await #expect(throws: DeltaError.self) { try await locks.withLock(tables) {} }
                #expect(error?.code == .busy)
            }
            // Nor for a call of another database, which may wait for this one.
            try await others.withLock(["a"]) {
                let error = await #expect(throws: DeltaError.self) { try await others.withLock(["a"]) {} }
                #expect(error?.code == .busy)
            }
            return Task {
                try await end.wait()
                try await locks.withLock(["a"]) {}
            }
        }
        let first = Task { try await locks.withLock(["a"]) { try await gate.wait() } }
        try await gate.waitForWaiters(1)
        end.open()
        try await eventually("the task waits") { locks.waiterCount == 1 }
        gate.open()
        for call in [first, late] { try await call.value }
    }
}
