import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Rows and versions after applying deltas, on every store.
///
/// The numbers T1 to T22 here and in the neighboring files refer to the list of hazards that the applier must handle.
@Suite(.needsSlot) struct DeltaApplierTests {
    @Test(arguments: StoreSubject.all) func `a delta changes rows and version`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            #expect(try fixture.request() == .fullLoad)
            let first = try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#, #"+{"id":2,"label":"b"}"#])
            #expect(first == DeltaOutcome(version: "1", counts: .init(upserts: 2), isDuplicate: false, hasMore: false))
            #expect(try fixture.request() == .changes(since: "1"))
            let second = try fixture.apply("1", "2", [#"+{"id":3,"label":"c"}"#, "-[1]", #"+{"id":2,"label":"B"}"#])
            #expect(second.counts == DeltaCounts(upserts: 2, deletes: 1))
            #expect(try fixture.rows() == [[2, "B"], [3, "c"]])
            #expect(try fixture.version() == "2")
            #expect(try fixture.apply("2", "3").counts == DeltaCounts())
            #expect(try fixture.version() == "3")
        }
    }

    @Test(arguments: StoreSubject.all) func `several tables change together`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            let tables = try ["a", "b"].map {
                try TableSchema(SQLIdentifier($0), columns: DeltaFixture.columns, primaryKey: ["id"])
            }
            fixture.target = try DeltaTarget(tables: tables, binding: fixture.target.binding)
            try fixture.apply(
                DeltaFixture.text(nil, "1", table: "a", [#"+{"id":1}"#, #"{"table":"b"}"#, #"+{"id":2}"#]))
            #expect(try fixture.rows("id", table: "a") == [[1]])
            #expect(try fixture.rows("id", table: "b") == [[2]])
            // The second table's rows are invalid, so the first table's are rolled back.
            let wrong = DeltaFixture.text("1", "2", table: "a", ["-[1]", #"{"table":"b"}"#, #"+{"id":null}"#])
            #expect(throws: DeltaError.self) { try fixture.apply(wrong) }
            #expect(try fixture.rows("id", table: "a") == [[1]])
            #expect(try fixture.version() == "1")
            // A full load empties a table that it does not name.
            try fixture.apply(DeltaFixture.text(nil, "2", table: "a", [#"+{"id":3}"#]))
            #expect(try fixture.rows("id", table: "a") == [[3]])
            #expect(try fixture.rows("id", table: "b").isEmpty)
            // A version is valid only if all tables of the target share it.
            fixture.target = try DeltaTarget(
                tables: [tables[1]], binding: DeltaBinding(server: "x", resource: "sockets"))
            try fixture.apply(DeltaFixture.text(nil, "9", table: "b"))
            fixture.target = try DeltaTarget(tables: tables, binding: DeltaFixture.target().binding)
            #expect(try fixture.request() == .fullLoad)
        }
    }

    @Test(arguments: StoreSubject.all) func `T8: the server sends a full load`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"old"}"#])
            // MemoryStore has no indexes and views to keep.
            let hasIndexes = kind.supportsIndexes
            if hasIndexes {
                try fixture.store.execute("CREATE INDEX sockets_by_label ON socket (label)")
                try fixture.store.execute("CREATE VIEW labels AS SELECT label FROM socket")
            }
            let rows = (0..<5000).map { "+{\"id\":\($0),\"label\":\"new\"}" }
            let store = fixture.store
            var seen: Set<[[StoreValue]]> = []
            var source = InterruptedSource(
                DeltaFixture.source(Data(DeltaFixture.text(nil, "2", rows).utf8), chunkSize: 9999)
            ) { _ in
                seen.insert(try store.rows("SELECT id, label FROM socket"))
            }
            try fixture.applier.apply(&source, to: fixture.target)
            #expect(seen == [[[1, "old"]]])
            #expect(try store.rows("SELECT count(*), min(label) FROM socket") == [[5000, "new"]])
            #expect(try fixture.version() == "2")
            #expect(try store.tableNames() == ["socket"])
            guard hasIndexes else { return }
            #expect(try store.rows("SELECT count(*) FROM sqlite_master WHERE name = 'sockets_by_label'") == [[1]])
            #expect(try store.rows("SELECT count(*) FROM labels") == [[5000]])
            // An index that does not fit the new rows is dropped.
            try store.execute("CREATE UNIQUE INDEX one_gain ON socket (gain)")
            try fixture.apply(nil, "3", [#"+{"id":1,"gain":1}"#, #"+{"id":2,"gain":1}"#])
            #expect(
                try store.rows("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL") == [[1]])
        }
    }

    @Test(arguments: StoreSubject.all) func `pages of a full load`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"old"}"#])
            let outcome = try fixture.apply(nil, "p1", more: true, [#"+{"id":10}"#])
            #expect(outcome == DeltaOutcome(version: "1", counts: .init(upserts: 1), isDuplicate: false, hasMore: true))
            #expect(try fixture.rows() == [[1, "old"]])
            #expect(try fixture.request() == .nextPage(after: "p1"))
            // A truncated page leaves nothing behind and is requested again.
            let cut = String(DeltaFixture.text("p1", "p2", more: true, [#"+{"id":66}"#, #"+{"id":67}"#]).dropLast(1))
            try fixture.refuse(cut, .truncated)
            #expect(try fixture.request() == .nextPage(after: "p1"))
            try fixture.apply("p1", "p2", more: true, [#"+{"id":11}"#, "-[10]"])
            #expect(try fixture.apply("p1", "p2", more: true, [#"+{"id":12}"#]).isDuplicate)
            try fixture.refuse(DeltaFixture.text("p1", "p3", more: true), .gap)
            // The pages are stored in the store, not in the applier.
            let other = DeltaApplier(fixture.store)
            #expect(try other.nextRequest(for: fixture.target) == .nextPage(after: "p2"))
            #expect(try fixture.apply("p2", "2", [#"+{"id":13}"#]).version == "2")
            #expect(try fixture.rows("id") == [[11], [13]])
            #expect(try fixture.request() == .changes(since: "2"))
            // Pages are discarded when the server sends changes, or starts a new full load.
            try fixture.apply(nil, "p1", more: true, [#"+{"id":20}"#])
            try fixture.apply("2", "3", [#"+{"id":14}"#])
            #expect(try fixture.request() == .changes(since: "3"))
            try fixture.apply(nil, "p1", more: true, [#"+{"id":20}"#])
            try fixture.apply(nil, "4", [#"+{"id":30}"#])
            #expect(try fixture.rows("id") == [[30]])
            // Each page of changes is a version.
            try fixture.apply("4", "4.1", more: true, [#"+{"id":31}"#])
            #expect(try fixture.request() == .changes(since: "4.1"))
            #expect(try fixture.rows("id") == [[30], [31]])
        }
    }

    @Test(arguments: StoreSubject.all) func `T11, T12: the order of operations counts`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(
                nil, "1", [#"+{"id":1,"label":"a"}"#, #"+{"id":2,"label":"b"}"#, #"+{"id":1,"label":"c"}"#])
            #expect(try fixture.rows() == [[1, "c"], [2, "b"]])
            let outcome = try fixture.apply(
                "1", "2",
                [
                    "-[7]", "-[1]", #"+{"id":1,"label":"again"}"#, #"+{"id":3,"label":"d"}"#, "-[3]",
                    #"+{"id":2,"gain":1}"#,
                ])
            #expect(outcome.counts == DeltaCounts(upserts: 3, deletes: 3))
            // An upsert replaces the whole row: missing columns become null.
            #expect(try fixture.rows("*") == [[1, "again", nil], [2, nil, 1.0]])
        }
    }

    @Test(arguments: StoreSubject.all) func `T13: chunks of every size`(kind: StoreSubject) throws {
        let rows = (0..<40).map { "+{\"id\":\($0),\"label\":\"ä\\u00e4\\n\($0)\"}" } + ["-[3]", "-[4]", #"+{"id":3}"#]
        let text = DeltaFixture.text(nil, "1", rows)
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(text)
            let state = try fixture.state()
            #expect(state.rows.count == 39)
            for chunkSize in [1, 2, 3, 5, 8, 13, 64, 200, 1000, 4096, 65536, 1 << 20] {
                try fixture.applier.invalidate(fixture.target)
                try fixture.store.execute("DELETE FROM socket")
                try fixture.apply(text, chunkSize: chunkSize)
                #expect(try fixture.state() == state)
            }
        }
    }

    @Test(arguments: StoreSubject.all) func `T14: values at their limits`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            fixture.target = try DeltaFixture.target([.init("id", "INTEGER"), .init("value")])
            let values: [(String, StoreValue)] = [
                ("9007199254740993", .integer(9_007_199_254_740_993)), ("9223372036854775807", .integer(.max)),
                ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .real(0x1p63)), ("-0", .real(-0.0)),
                (#""a\u0000b""#, "a\0b"), (#""\ud83d\ude00""#, "😀"), (#"{"a":[1]}"#, #"{"a":[1]}"#), ("true", 1),
                ("5e-324", .real(.leastNonzeroMagnitude)), ("null", nil),
            ]
            try fixture.apply(nil, "1", values.enumerated().map { "+{\"id\":\($0),\"value\":\($1.0)}" })
            #expect(try fixture.rows("id, value").map { $0[1] } == values.map(\.1))
            for wrong in ["1e400", "-1e400", #""\ud83d""#, #""\ude00""#, "\"\u{1}\"", "[1e400]"] {
                try fixture.refuse(DeltaFixture.text("1", "2", ["+{\"id\":1,\"value\":\(wrong)}"]), .malformed)
            }
            let text = DeltaFixture.text("1", "2", [#"+{"id":1,"value":"XX"}"#])
            for bytes in [[0xFF, 0xFE], [0xC0, 0x80], [0xC3, 0x28], [0x00, 0x00]] as [[UInt8]] {
                var data = Data(text.utf8)
                let place = try #require(data.firstRange(of: Data("XX".utf8)))
                data.replaceSubrange(place, with: bytes)
                var source = DeltaFixture.source(data, chunkSize: 10)
                let error = #expect(throws: DeltaError.self) { try fixture.applier.apply(&source, to: fixture.target) }
                #expect(error?.code == .malformed)
            }
            #expect(try fixture.version() == "1")
        }
    }

    @Test func `invalid targets are rejected`() throws {
        #expect(throws: StoreError.self) {
            try DeltaTarget(tables: [], binding: DeltaBinding(server: "", resource: ""))
        }
        #expect(throws: StoreError.self) { try DeltaFixture.target(key: []) }
        #expect(throws: StoreError.self) { try DeltaFixture.target(table: "Patchbay_x") }
        #expect(throws: StoreError.self) { try DeltaFixture.target([.init("id", "INTEGER PRIMARY KEY")]) }
    }

    @Test(arguments: StoreSubject.all) func `the version can be read while a delta is applied`(
        kind: StoreSubject
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            #expect(try fixture.version() == nil)
            // Reading the version created nothing.
            #expect(try fixture.store.schema(of: "socket") == nil)
            #expect(try fixture.store.rows("SELECT name FROM sqlite_master") == [])
            try fixture.apply(nil, "1", [#"+{"id":1}"#])
            let log = ChangeLog()
            let subscription = fixture.store.subscribe(log.note)
            let asking = fixture
            for (from, to, known) in [("1", "2", "1"), (nil, "3", "2")] {
                var source = InterruptedSource(
                    DeltaFixture.source(Data(DeltaFixture.text(from, to, [#"+{"id":2}"#]).utf8), chunkSize: 65536)
                ) { _ in
                    // On the applying thread, within the transaction.
                    let version = try asking.version()
                    #expect(version == known)
                    guard asking.readsConcurrently else { return }
                    let wait = onThread {
                        let version = try? asking.version()
                        #expect(version == known)
                    }
                    #expect(wait())
                }
                try fixture.applier.apply(&source, to: fixture.target)
                // One notification, without the reserved tables.
                #expect(log.take() == [["socket"]])
            }
            _ = try (fixture.version(), fixture.request())
            #expect(log.take() == [])
            subscription.cancel()
        }
    }
}
