import DeltaSync
import Foundation
import LocalStore
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import HyperHive

@Suite struct TableExclusionTests {
    private static func makeWriter() -> TableWriter {
        let store = MemoryStore()
        return TableWriter(store, TableRegister(store: store))
    }

    @Test(.needsSlot) func `calls with the same tables run one after the other, in their order`() async throws {
        let writer = Self.makeWriter()
        let gate = Gate()
        let order = Mutex<[Int]>([])
        let first = Task { try await writer.withTables(["a"]) { try await gate.wait() } }
        try await gate.waitForWaiters(1)
        var others: [Task<Void, any Error>] = []
        for number in 1...5 {
            others.append(
                Task { @Sendable in
                    try await writer.withTables(["A", "b"]) { order.withLock { $0.append(number) } }
                })
            try await eventually("call \(number) waits") { writer.waiterCount == number }
        }
        #expect(try await writer.withTables(["c"]) { 7 } == 7)
        gate.open()
        for call in [first] + others { try await call.value }
        #expect(order.withLock(\.self) == [1, 2, 3, 4, 5])
    }

    @Test(.needsSlot) func `a waiting call that is cancelled lets later ones run`() async throws {
        let writer = Self.makeWriter()
        let gate = Gate()
        let first = Task { try await writer.withTables(["a"]) { try await gate.wait() } }
        try await gate.waitForWaiters(1)
        let second = Task { try await writer.withTables(["a", "b"]) {} }
        try await eventually("the second call waits") { writer.waiterCount == 1 }
        let third = Task { try await writer.withTables(["b"]) {} }
        try await eventually("the third call waits") { writer.waiterCount == 2 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        try await third.value
        #expect(writer.waiterCount == 0)
        gate.open()
        try await first.value
        try await writer.withTables(["a", "b"]) {}
    }

    @Test func `a delta of another caller is busy while a call holds its tables, and an error frees them`()
        async throws
    {
        let fixture = try LoaderFixture(MemoryStore())
        let (writer, target) = (fixture.writer, fixture.target)
        try await fixture.load(LoaderFixture.delta("[1,1,null]"), "delta v0-v1")
        try await writer.withTables(target.tableNames) {
            // One exclusion for both: calls of this client, and deltas of its applier.
            var source = JSONDeltaSource(Data())
            let error = #expect(throws: DeltaError.self) { try writer.applier.apply(&source, to: target.delta) }
            #expect(error?.code == .busy)
            #expect(throws: DeltaError.self) { try writer.applier.invalidate(target.delta) }
            #expect(throws: DeltaError.self) { try writer.drop(target.names) }
            try await fixture.load(LoaderFixture.delta("[2,2,null]"), "delta v1-v2")
        }
        #expect(try fixture.fruits() == [[1, 1, .null], [2, 2, .null]])
        struct Broken: Error {}
        await #expect(throws: Broken.self) { try await writer.withTables(target.tableNames) { throw Broken() } }
        try writer.applier.invalidate(target.delta)
        #expect(try writer.drop(target.names).count == 2)
    }

    @Test(.needsSlot) func `a call never waits within another one, but its tasks do after it`() async throws {
        let (writer, others) = (Self.makeWriter(), Self.makeWriter())
        let (end, gate) = (Gate(), Gate())
        let late = try await writer.withTables(["a"]) {
            try await writer.withTables(["b"]) {}
            for tables in [["a"], ["b", "a"]] as [Set<SQLIdentifier>] {
                let error = await #expect(throws: DeltaError.self) { try await writer.withTables(tables) {} }
                #expect(error?.code == .busy)
            }
            // Nor for a call of another database, which may wait for this one.
            try await others.withTables(["a"]) {
                let error = await #expect(throws: DeltaError.self) { try await others.withTables(["a"]) {} }
                #expect(error?.code == .busy)
            }
            return Task {
                try await end.wait()
                try await writer.withTables(["a"]) {}
            }
        }
        let first = Task { try await writer.withTables(["a"]) { try await gate.wait() } }
        try await gate.waitForWaiters(1)
        end.open()
        try await eventually("the task waits") { writer.waiterCount == 1 }
        gate.open()
        for call in [first, late] { try await call.value }
    }
}
