import Foundation
import TestSupport
import Testing

@testable import LocalStore

/// Which rows a delta leaves in a store, on every store. Here and in the files beside, the numbers are those of the list
/// of hazards that the applier was made against.
@Suite(.needsSlot) struct DeltaApplierTests {
    @Test(arguments: StoreUnderTest.all) func `a delta changes rows and version`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            #expect(try world.request() == .everything)
            let first = try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#, #"+{"id":2,"label":"b"}"#])
            #expect(first == DeltaOutcome(version: "1", counts: .init(upserts: 2), isDuplicate: false, hasMore: false))
            #expect(try world.request() == .changes(since: "1"))
            let second = try world.apply("1", "2", [#"+{"id":3,"label":"c"}"#, "-[1]", #"+{"id":2,"label":"B"}"#])
            #expect(second.counts == DeltaCounts(upserts: 2, deletes: 1))
            #expect(try world.rows() == [[2, "B"], [3, "c"]])
            #expect(try world.version() == "2")
            #expect(try world.apply("2", "3").counts == DeltaCounts())
            #expect(try world.version() == "3")
        }
    }

    @Test(arguments: StoreUnderTest.all) func `several tables change together`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            let tables = try ["a", "b"].map {
                try TableSchema(SQLIdentifier($0), columns: DeltaWorld.columns, primaryKey: ["id"])
            }
            world.target = try DeltaTarget(tables: tables, binding: world.target.binding)
            try world.apply(DeltaWorld.text(nil, "1", table: "a", [#"+{"id":1}"#, #"{"table":"b"}"#, #"+{"id":2}"#]))
            #expect(try world.rows("id", table: "a") == [[1]])
            #expect(try world.rows("id", table: "b") == [[2]])
            // The second table's rows are wrong: the first one's do not stay.
            let wrong = DeltaWorld.text("1", "2", table: "a", ["-[1]", #"{"table":"b"}"#, #"+{"id":null}"#])
            #expect(throws: DeltaError.self) { try world.apply(wrong) }
            #expect(try world.rows("id", table: "a") == [[1]])
            #expect(try world.version() == "1")
            // All rows of a table that the delta does not name are none.
            try world.apply(DeltaWorld.text(nil, "2", table: "a", [#"+{"id":3}"#]))
            #expect(try world.rows("id", table: "a") == [[3]])
            #expect(try world.rows("id", table: "b").isEmpty)
            // Only together are they at a version.
            world.target = try DeltaTarget(tables: [tables[1]], binding: DeltaBinding(server: "x", resource: "sockets"))
            try world.apply(DeltaWorld.text(nil, "9", table: "b"))
            world.target = try DeltaTarget(tables: tables, binding: DeltaWorld.target().binding)
            #expect(try world.request() == .everything)
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T8: the server sends everything`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"old"}"#])
            // Where there is no SQL for indexes and views, there are none to keep.
            let hasIndexes = kind.knowsIndexes
            if hasIndexes {
                try world.store.execute("CREATE INDEX sockets_by_label ON socket (label)")
                try world.store.execute("CREATE VIEW labels AS SELECT label FROM socket")
            }
            let rows = (0..<5000).map { "+{\"id\":\($0),\"label\":\"new\"}" }
            let store = world.store
            var seen: Set<[[StoreValue]]> = []
            var source = InterruptedSource(DeltaWorld.source(Data(DeltaWorld.text(nil, "2", rows).utf8), pieces: 9999))
            { _ in
                seen.insert(try store.rows("SELECT id, label FROM socket"))
            }
            try world.applier.apply(&source, to: world.target)
            #expect(seen == [[[1, "old"]]])
            #expect(try store.rows("SELECT count(*), min(label) FROM socket") == [[5000, "new"]])
            #expect(try world.version() == "2")
            #expect(try store.tables() == ["socket"])
            guard hasIndexes else { return }
            #expect(try store.rows("SELECT count(*) FROM sqlite_master WHERE name = 'sockets_by_label'") == [[1]])
            #expect(try store.rows("SELECT count(*) FROM labels") == [[5000]])
            // An index that does not fit the new table goes away.
            try store.execute("CREATE UNIQUE INDEX one_gain ON socket (gain)")
            try world.apply(nil, "3", [#"+{"id":1,"gain":1}"#, #"+{"id":2,"gain":1}"#])
            #expect(
                try store.rows("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL") == [[1]])
        }
    }

    @Test(arguments: StoreUnderTest.all) func `pages of everything`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"old"}"#])
            let outcome = try world.apply(nil, "p1", more: true, [#"+{"id":10}"#])
            #expect(outcome == DeltaOutcome(version: "1", counts: .init(upserts: 1), isDuplicate: false, hasMore: true))
            #expect(try world.rows() == [[1, "old"]])
            #expect(try world.request() == .rest(after: "p1"))
            // One that is cut is asked for again, and leaves nothing behind.
            let cut = String(DeltaWorld.text("p1", "p2", more: true, [#"+{"id":66}"#, #"+{"id":67}"#]).dropLast(1))
            try world.refuse(cut, .truncated)
            #expect(try world.request() == .rest(after: "p1"))
            try world.apply("p1", "p2", more: true, [#"+{"id":11}"#, "-[10]"])
            #expect(try world.apply("p1", "p2", more: true, [#"+{"id":12}"#]).isDuplicate)
            try world.refuse(DeltaWorld.text("p1", "p3", more: true), .gap)
            // Another program finds the pages too.
            let other = DeltaApplier(world.store)
            #expect(try other.request(for: world.target) == .rest(after: "p2"))
            #expect(try world.apply("p2", "2", [#"+{"id":13}"#]).version == "2")
            #expect(try world.rows("id") == [[11], [13]])
            #expect(try world.request() == .changes(since: "2"))
            // Pages are let go when the server sends changes after all, or begins again.
            try world.apply(nil, "p1", more: true, [#"+{"id":20}"#])
            try world.apply("2", "3", [#"+{"id":14}"#])
            #expect(try world.request() == .changes(since: "3"))
            try world.apply(nil, "p1", more: true, [#"+{"id":20}"#])
            try world.apply(nil, "4", [#"+{"id":30}"#])
            #expect(try world.rows("id") == [[30]])
            // Pages of changes are each a version.
            try world.apply("4", "4.1", more: true, [#"+{"id":31}"#])
            #expect(try world.request() == .changes(since: "4.1"))
            #expect(try world.rows("id") == [[30], [31]])
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T11, T12: the order of operations counts`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(
                nil, "1", [#"+{"id":1,"label":"a"}"#, #"+{"id":2,"label":"b"}"#, #"+{"id":1,"label":"c"}"#])
            #expect(try world.rows() == [[1, "c"], [2, "b"]])
            let outcome = try world.apply(
                "1", "2",
                [
                    "-[7]", "-[1]", #"+{"id":1,"label":"again"}"#, #"+{"id":3,"label":"d"}"#, "-[3]",
                    #"+{"id":2,"gain":1}"#,
                ])
            #expect(outcome.counts == DeltaCounts(upserts: 3, deletes: 3))
            // A row is replaced as a whole: what it does not name is null.
            #expect(try world.rows("*") == [[1, "again", nil], [2, nil, 1.0]])
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T13: pieces of every size`(kind: StoreUnderTest) throws {
        let rows = (0..<40).map { "+{\"id\":\($0),\"label\":\"ä\\u00e4\\n\($0)\"}" } + ["-[3]", "-[4]", #"+{"id":3}"#]
        let text = DeltaWorld.text(nil, "1", rows)
        try DeltaWorld.run(kind) { world in
            try world.apply(text)
            let state = try world.state()
            #expect(state.rows.count == 39)
            for pieces in [1, 2, 3, 5, 8, 13, 64, 200, 1000, 4096, 65536, 1 << 20] {
                try world.applier.forget(world.target)
                try world.store.execute("DELETE FROM socket")
                try world.apply(text, pieces: pieces)
                #expect(try world.state() == state)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T14: values at their limits`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            world.target = try DeltaWorld.target([.init("id", "INTEGER"), .init("value")])
            let values: [(String, StoreValue)] = [
                ("9007199254740993", .integer(9_007_199_254_740_993)), ("9223372036854775807", .integer(.max)),
                ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .real(0x1p63)), ("-0", .real(-0.0)),
                (#""a\u0000b""#, "a\0b"), (#""\ud83d\ude00""#, "😀"), (#"{"a":[1]}"#, #"{"a":[1]}"#), ("true", 1),
                ("5e-324", .real(.leastNonzeroMagnitude)), ("null", nil),
            ]
            try world.apply(nil, "1", values.enumerated().map { "+{\"id\":\($0),\"value\":\($1.0)}" })
            #expect(try world.rows("id, value").map { $0[1] } == values.map(\.1))
            for wrong in ["1e400", "-1e400", #""\ud83d""#, #""\ude00""#, "\"\u{1}\"", "[1e400]"] {
                try world.refuse(DeltaWorld.text("1", "2", ["+{\"id\":1,\"value\":\(wrong)}"]), .malformed)
            }
            let text = DeltaWorld.text("1", "2", [#"+{"id":1,"value":"XX"}"#])
            for bytes in [[0xFF, 0xFE], [0xC0, 0x80], [0xC3, 0x28], [0x00, 0x00]] as [[UInt8]] {
                var data = Data(text.utf8)
                let place = try #require(data.firstRange(of: Data("XX".utf8)))
                data.replaceSubrange(place, with: bytes)
                var source = DeltaWorld.source(data, pieces: 10)
                let error = #expect(throws: DeltaError.self) { try world.applier.apply(&source, to: world.target) }
                #expect(error?.code == .malformed)
            }
            #expect(try world.version() == "1")
        }
    }

    @Test func `a target is checked`() throws {
        #expect(throws: StoreError.self) {
            try DeltaTarget(tables: [], binding: DeltaBinding(server: "", resource: ""))
        }
        #expect(throws: StoreError.self) { try DeltaWorld.target(key: []) }
        #expect(throws: StoreError.self) { try DeltaWorld.target(table: "Patchbay_x") }
        #expect(throws: StoreError.self) { try DeltaWorld.target([.init("id", "INTEGER PRIMARY KEY")]) }
    }

    @Test(arguments: StoreUnderTest.all) func `its version may be asked while it is applied`(
        kind: StoreUnderTest
    ) throws {
        try DeltaWorld.run(kind) { world in
            #expect(try world.version() == nil)
            // Asking has made nothing.
            #expect(try world.store.schema(of: "socket") == nil)
            #expect(try world.store.rows("SELECT name FROM sqlite_master") == [])
            try world.apply(nil, "1", [#"+{"id":1}"#])
            let log = ChangeConformanceTests.Log()
            let subscription = world.store.subscribe(log.note)
            let asking = world
            for (from, to, known) in [("1", "2", "1"), (nil, "3", "2")] {
                var source = InterruptedSource(
                    DeltaWorld.source(Data(DeltaWorld.text(from, to, [#"+{"id":2}"#]).utf8), pieces: 65536)
                ) { _ in
                    // From within: the thread that applies it sees what it has done.
                    let version = try asking.version()
                    #expect(version == known)
                    guard asking.readsConcurrently else { return }
                    let wait = onThread {
                        let version = try? asking.version()
                        #expect(version == known)
                    }
                    #expect(wait())
                }
                try world.applier.apply(&source, to: world.target)
                // One notice, of the table that people know.
                #expect(log.take() == [["socket"]])
            }
            _ = try (world.version(), world.request())
            #expect(log.take() == [])
            subscription.cancel()
        }
    }
}
