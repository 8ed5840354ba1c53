import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Deltas are atomic, despite errors and concurrent calls.
@Suite(.needsSlot) struct DeltaApplierFailureTests {
    @Test(arguments: StoreSubject.all) func `T4, T5: truncation at every byte`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            let state = try fixture.state()
            for text in [
                DeltaFixture.text("1", "2", [#"+{"id":2,"label":"b"}"#, "-[1]", #"+{"id":3}"#]),
                DeltaFixture.text(nil, "2", [#"+{"id":2,"label":"b"}"#, #"+{"id":3}"#]),
            ] {
                for count in 0..<text.utf8.count {
                    let error = #expect(throws: DeltaError.self) {
                        try fixture.apply(String(text.prefix(count)), chunkSize: 7)
                    }
                    #expect(error?.code == .truncated)
                    #expect(try fixture.state() == state)
                }
            }
        }
    }

    @Test(arguments: StoreSubject.all) func `T6: a wrong count`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            for counts in [(0, 1), (2, 1), (1, 0), (1, 2)] {
                for from in ["1", nil] {
                    try fixture.refuse(
                        DeltaFixture.text(from, "2", [#"+{"id":2}"#, "-[1]"], counts: counts), .wrongCount)
                }
            }
        }
    }

    @Test(
        arguments: StoreSubject.all,
        [
            (#"{"merge":{"id":2}}"#, .unknownOperation), (#"+{"id":2,"colour":1}"#, .unknownColumn),
            (#"+{"id":2,"id":2}"#, .duplicateColumn), (#"+{"label":"x"}"#, .missingKey),
            (#"+{"id":null}"#, .missingKey),
            ("-[null]", .missingKey), (#"{"table":"other"}"#, .unknownTable),
            (#"{"table":"socket","key":["label"]}"#, .mismatch),
        ] as [(String, DeltaError.Code)])
    func `T11: invalid operations`(kind: StoreSubject, fault: (String, DeltaError.Code)) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            for from in ["1", nil] {
                try fixture.refuse(
                    DeltaFixture.text(from, "2", [#"+{"id":9}"#, "-[1]", fault.0, #"+{"id":8}"#]), fault.1)
            }
            try fixture.refuse(DeltaFixture.text("1", "2").replacing("sockets", with: "others"), .mismatch)
        }
    }

    @Test(arguments: StoreSubject.all) func `T15: two concurrent calls`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1}"#])
            for from in ["1", nil] {
                let (applier, target, text) = (fixture.applier, fixture.target, Data(DeltaFixture.text(from, "2").utf8))
                var source = InterruptedSource(DeltaFixture.source(text, chunkSize: 100)) { _ in
                    var other = DeltaFixture.source(text, chunkSize: 100)
                    let error = #expect(throws: DeltaError.self) { try applier.apply(&other, to: target) }
                    #expect(error?.code == .busy)
                    #expect(throws: DeltaError.self) { try applier.invalidate(target) }
                }
                #expect(try applier.apply(&source, to: target).version == "2")
            }
            // The tables are released, also after an error.
            try fixture.refuse(DeltaFixture.text("2", "3", ["-[null]"]), .missingKey)
            try fixture.apply("2", "3")
        }
    }

    @Test(arguments: StoreSubject.all) func `T15: another program loads the same tables`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1}"#])
            let (other, target) = (DeltaApplier(fixture.store), fixture.target)
            let rows = (100..<5000).map { "+{\"id\":\($0)}" }
            var source = InterruptedSource(
                DeltaFixture.source(Data(DeltaFixture.text(nil, "2", rows).utf8), chunkSize: 65536)
            ) { batch in
                guard batch == 1 else { return }
                // On another thread: the source itself may not write to these tables.
                let isLoadOwned = onThread {
                    var source = DeltaFixture.source(
                        Data(DeltaFixture.text(nil, "3", [#"+{"id":3}"#]).utf8), chunkSize: 100)
                    _ = try? other.apply(&source, to: target)
                }
                #expect(isLoadOwned())
            }
            let error = #expect(throws: DeltaError.self) { try fixture.applier.apply(&source, to: target) }
            #expect(error?.code == .busy)
            #expect(try fixture.state() == .init(rows: [[3, nil, nil]], version: "3"))
        }
    }

    @Test(arguments: StoreSubject.all) func `T16: a call is cancelled`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1}"#])
            let state = try fixture.state()
            let rows = (0..<5000).map { "+{\"id\":\($0)}" }
            for from in ["1", nil] {
                // Before each batch, and once before the end.
                for last in 0...4 {
                    var source = DeltaFixture.source(Data(DeltaFixture.text(from, "2", rows).utf8), chunkSize: 65536)
                    var asked = 0
                    let error = #expect(throws: DeltaError.self) {
                        try fixture.applier.apply(&source, to: fixture.target) {
                            defer { asked += 1 }
                            return asked == last
                        }
                    }
                    #expect(error?.code == .cancelled)
                    #expect(try fixture.state() == state)
                }
            }
        }
    }

    @Test(arguments: StoreSubject.all) func `T16: its task is cancelled`(kind: StoreSubject) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                withUnsafeCurrentTask { $0?.cancel() }
                try DeltaFixture.run(kind) { fixture in
                    try fixture.refuse(DeltaFixture.text(nil, "1", [#"+{"id":1}"#]), .cancelled)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: StoreSubject.all) func `T17: a reader sees a change only after the commit`(kind: StoreSubject)
        throws
    {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"old"}"#])
            let rows = (0..<5000).map { "+{\"id\":\($0),\"label\":\"new\"}" }
            let store = fixture.store
            let readsConcurrently = fixture.readsConcurrently
            for (from, to) in [("1", "2"), (nil, "3")] {
                let before = try fixture.rows()
                let after = rows.indices.map { [StoreValue.integer(Int64($0)), "new"] }
                let results = Mutex<[[[StoreValue]]]>([])
                var waits: [@Sendable () -> Bool] = []
                var source = InterruptedSource(
                    DeltaFixture.source(Data(DeltaFixture.text(from, to, rows).utf8), chunkSize: 65536)
                ) { _ in
                    let wait = onThread {
                        let result = (try? store.rows("SELECT id, label FROM socket ORDER BY 1")) ?? []
                        results.withLock { $0.append(result) }
                    }
                    if readsConcurrently { #expect(wait()) } else { waits.append(wait) }
                }
                try fixture.applier.apply(&source, to: fixture.target)
                for wait in waits { #expect(wait()) }
                let seen = results.withLock { $0 }
                #expect(seen.count > 2)
                // Where readers wait for the writer they see either state; a full load writes only at its end.
                let isWaitedFor = from != nil && !readsConcurrently
                let promised = readsConcurrently ? [before] : isWaitedFor ? [after] : [before, after]
                #expect(seen.allSatisfy { promised.contains($0) })
                #expect(try store.rows("SELECT count(*), min(label) FROM socket") == [[5000, "new"]])
            }
        }
    }

    @Test(arguments: StoreSubject.all) func `a failure of the source or the store changes nothing`(
        kind: StoreSubject
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1}"#])
            let state = try fixture.state()
            let rows = (0..<5000).map { "+{\"id\":\($0)}" }
            for from in ["1", nil] {
                var source = InterruptedSource(
                    DeltaFixture.source(Data(DeltaFixture.text(from, "2", rows).utf8), chunkSize: 65536)
                ) { batch in
                    if batch == 2 { throw Interruption() }
                }
                let error = #expect(throws: DeltaError.self) { try fixture.applier.apply(&source, to: fixture.target) }
                #expect(error?.code == .source)
                #expect(error?.underlying is Interruption)
                #expect(try fixture.state() == state)
            }
            // The store itself rejects a key of the wrong type.
            let error = try fixture.refuse(DeltaFixture.text("1", "2", [#"+{"id":5}"#, #"+{"id":"sesame"}"#]), .store)
            #expect((error?.underlying as? StoreError)?.code == .constraint)
            #expect(error?.description.contains("sesame") == false)
        }
    }
}
