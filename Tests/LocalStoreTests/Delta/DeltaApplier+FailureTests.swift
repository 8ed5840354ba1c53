import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

/// A delta is applied whole or not at all, whatever goes wrong and whoever else is at work.
@Suite(.needsSlot) struct DeltaApplierFailureTests {
    @Test(arguments: StoreUnderTest.all) func `T4, T5: a cut at every byte`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            let state = try world.state()
            for text in [
                DeltaWorld.text("1", "2", [#"+{"id":2,"label":"b"}"#, "-[1]", #"+{"id":3}"#]),
                DeltaWorld.text(nil, "2", [#"+{"id":2,"label":"b"}"#, #"+{"id":3}"#]),
            ] {
                for count in 0..<text.utf8.count {
                    let error = #expect(throws: DeltaError.self) {
                        try world.apply(String(text.prefix(count)), pieces: 7)
                    }
                    #expect(error?.code == .truncated)
                    #expect(try world.state() == state)
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T6: a wrong count`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            for counts in [(0, 1), (2, 1), (1, 0), (1, 2)] {
                for from in ["1", nil] {
                    try world.refuse(DeltaWorld.text(from, "2", [#"+{"id":2}"#, "-[1]"], counts: counts), .wrongCount)
                }
            }
        }
    }

    @Test(
        arguments: StoreUnderTest.all,
        [
            (#"{"merge":{"id":2}}"#, .unknownOperation), (#"+{"id":2,"colour":1}"#, .unknownColumn),
            (#"+{"id":2,"id":2}"#, .duplicateColumn), (#"+{"label":"x"}"#, .missingKey),
            (#"+{"id":null}"#, .missingKey),
            ("-[null]", .missingKey), (#"{"table":"other"}"#, .unknownTable),
            (#"{"table":"socket","key":["label"]}"#, .mismatch),
        ] as [(String, DeltaError.Code)])
    func `T11: what a delta must not have`(kind: StoreUnderTest, fault: (String, DeltaError.Code)) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            for from in ["1", nil] {
                try world.refuse(DeltaWorld.text(from, "2", [#"+{"id":9}"#, "-[1]", fault.0, #"+{"id":8}"#]), fault.1)
            }
            try world.refuse(DeltaWorld.text("1", "2").replacing("sockets", with: "others"), .mismatch)
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T15: two at once`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1}"#])
            for from in ["1", nil] {
                let (applier, target, text) = (world.applier, world.target, Data(DeltaWorld.text(from, "2").utf8))
                var source = InterruptedSource(DeltaWorld.source(text, pieces: 100)) { _ in
                    var other = DeltaWorld.source(text, pieces: 100)
                    let error = #expect(throws: DeltaError.self) { try applier.apply(&other, to: target) }
                    #expect(error?.code == .busy)
                    #expect(throws: DeltaError.self) { try applier.forget(target) }
                }
                #expect(try applier.apply(&source, to: target).version == "2")
            }
            // It is free again, also after an error.
            try world.refuse(DeltaWorld.text("2", "3", ["-[null]"]), .missingKey)
            try world.apply("2", "3")
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T15: another program loads the same tables`(kind: StoreUnderTest) throws
    {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1}"#])
            let (other, target) = (DeltaApplier(world.store), world.target)
            let rows = (100..<5000).map { "+{\"id\":\($0)}" }
            var source = InterruptedSource(DeltaWorld.source(Data(DeltaWorld.text(nil, "2", rows).utf8), pieces: 65536))
            { batch in
                guard batch == 1 else { return }
                // On another thread: the source itself may not write to these tables.
                let isLoaded = onThread {
                    var source = DeltaWorld.source(Data(DeltaWorld.text(nil, "3", [#"+{"id":3}"#]).utf8), pieces: 100)
                    _ = try? other.apply(&source, to: target)
                }
                #expect(isLoaded())
            }
            let error = #expect(throws: DeltaError.self) { try world.applier.apply(&source, to: target) }
            #expect(error?.code == .busy)
            #expect(try world.state() == .init(rows: [[3, nil, nil]], version: "3"))
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T16: a call is cancelled`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1}"#])
            let state = try world.state()
            let rows = (0..<5000).map { "+{\"id\":\($0)}" }
            for from in ["1", nil] {
                // Before each batch, and once before the end.
                for last in 0...4 {
                    var source = DeltaWorld.source(Data(DeltaWorld.text(from, "2", rows).utf8), pieces: 65536)
                    var asked = 0
                    let error = #expect(throws: DeltaError.self) {
                        try world.applier.apply(&source, to: world.target) {
                            defer { asked += 1 }
                            return asked == last
                        }
                    }
                    #expect(error?.code == .cancelled)
                    #expect(try world.state() == state)
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T16: its task is cancelled`(kind: StoreUnderTest) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                withUnsafeCurrentTask { $0?.cancel() }
                try DeltaWorld.run(kind) { world in
                    try world.refuse(DeltaWorld.text(nil, "1", [#"+{"id":1}"#]), .cancelled)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T17: a reader sees a change only after the commit`(kind: StoreUnderTest)
        throws
    {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"old"}"#])
            let rows = (0..<5000).map { "+{\"id\":\($0),\"label\":\"new\"}" }
            let store = world.store
            let readsConcurrently = world.readsConcurrently
            for (from, to) in [("1", "2"), (nil, "3")] {
                let before = try world.rows()
                let after = rows.indices.map { [StoreValue.integer(Int64($0)), "new"] }
                let answers = Mutex<[[[StoreValue]]]>([])
                var waits: [@Sendable () -> Bool] = []
                var source = InterruptedSource(
                    DeltaWorld.source(Data(DeltaWorld.text(from, to, rows).utf8), pieces: 65536)
                ) { _ in
                    let wait = onThread {
                        let answer = (try? store.rows("SELECT id, label FROM socket ORDER BY 1")) ?? []
                        answers.withLock { $0.append(answer) }
                    }
                    if readsConcurrently { #expect(wait()) } else { waits.append(wait) }
                }
                try world.applier.apply(&source, to: world.target)
                for wait in waits { #expect(wait()) }
                let seen = answers.withLock { $0 }
                #expect(seen.count > 2)
                // A store whose readers wait for its writer shows either; all rows are loaded before it writes.
                let isWaitedFor = from != nil && !readsConcurrently
                let promised = readsConcurrently ? [before] : isWaitedFor ? [after] : [before, after]
                #expect(seen.allSatisfy { promised.contains($0) })
                #expect(try store.rows("SELECT count(*), min(label) FROM socket") == [[5000, "new"]])
            }
        }
    }

    @Test(arguments: StoreUnderTest.all) func `a failure of the source or the store changes nothing`(
        kind: StoreUnderTest
    ) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1}"#])
            let state = try world.state()
            let rows = (0..<5000).map { "+{\"id\":\($0)}" }
            for from in ["1", nil] {
                var source = InterruptedSource(
                    DeltaWorld.source(Data(DeltaWorld.text(from, "2", rows).utf8), pieces: 65536)
                ) { batch in
                    if batch == 2 { throw Interruption() }
                }
                let error = #expect(throws: DeltaError.self) { try world.applier.apply(&source, to: world.target) }
                #expect(error?.code == .source)
                #expect(error?.underlying is Interruption)
                #expect(try world.state() == state)
            }
            // A key that the column cannot hold is refused by the store itself.
            let error = try world.refuse(DeltaWorld.text("1", "2", [#"+{"id":5}"#, #"+{"id":"sesame"}"#]), .store)
            #expect((error?.underlying as? StoreError)?.code == .constraint)
            #expect(error?.description.contains("sesame") == false)
        }
    }
}
