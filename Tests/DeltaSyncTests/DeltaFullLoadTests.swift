import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Full loads: concurrent ones, the rest of a crashed one, and tables without a primary key.
@Suite(.needsSlot) struct DeltaFullLoadTests {
    private static func source(_ from: String?, _ to: String, _ operations: [String] = []) -> JSONDeltaSource {
        DeltaFixture.source(Data(DeltaFixture.text(from, to, operations).utf8), chunkSize: 100)
    }

    @Test(arguments: StoreSubject.all)
    func `T15: a full load that was requested before another program's load does not replace its rows`(
        kind: StoreSubject
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            let (applier, other, target) = (fixture.applier, DeltaApplier(fixture.store), fixture.target)
            let error = #expect(throws: DeltaError.self) {
                try applier.update(target) { request in
                    #expect(request == .fullLoad)
                    var newer = Self.source(nil, "3", [#"+{"id":3}"#])
                    try other.apply(&newer, to: target)
                    return Self.source(nil, "2", [#"+{"id":2}"#])
                }
            }
            #expect(error?.code == .busy)
            #expect(try fixture.state() == .init(rows: [[3, nil, nil]], version: "3"))
            for version in [nil, "1"] {
                var older = Self.source(nil, "2", [#"+{"id":2}"#])
                let error = #expect(throws: DeltaError.self) {
                    try applier.apply(&older, to: target, requestedAt: version)
                }
                #expect(error?.code == .busy)
            }
            #expect(try fixture.version() == "3")
            var next = Self.source(nil, "4", [#"+{"id":4}"#])
            #expect(try applier.apply(&next, to: target, requestedAt: "3").version == "4")
            // Invalid rows are replaced by any full load.
            try applier.invalidate(target)
            var any = Self.source(nil, "5", [#"+{"id":5}"#])
            #expect(try applier.apply(&any, to: target, requestedAt: "4").version == "5")
        }
    }

    @Test(arguments: StoreSubject.all)
    func `T15: a full load is refused when another program's delta comes before its first row`(
        kind: StoreSubject
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1}"#])
            let (other, target) = (DeltaApplier(fixture.store), fixture.target)
            var source = HeaderInterruptedSource(Self.source(nil, "2", [#"+{"id":2}"#])) {
                var newer = Self.source("1", "3", [#"+{"id":3}"#])
                try other.apply(&newer, to: target)
            }
            let error = #expect(throws: DeltaError.self) { try fixture.applier.apply(&source, to: target) }
            #expect(error?.code == .busy)
            #expect(try fixture.state() == .init(rows: [[1, nil, nil], [3, nil, nil]], version: "3"))
        }
    }

    /// Leaves a shadow table behind, as a process that was killed.
    private func leaveShadow(_ fixture: DeltaFixture) throws {
        let tables = try DeltaTables(fixture.target, in: fixture.store) { "unused" }
        try fixture.store.transaction {
            try tables.beginLoad(owner: "killed")
            try fixture.store.upsert(try RowBatch(["id"], [[66]]), into: tables.shadows[0].name)
        }
        #expect(try shadows(fixture) == [["patchbay_shadow_socket"]])
    }

    private func shadows(_ fixture: DeltaFixture) throws -> [[StoreValue]] {
        try fixture.store.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'patchbay_shadow%'", [])
    }

    @Test(arguments: StoreSubject.all)
    func `T9: the shadow table of a killed process is dropped by the next delta, and with its table`(
        kind: StoreSubject
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            for (from, to) in [("1", "2"), (nil, "3"), ("3", "4")] as [(String?, String)] {
                try leaveShadow(fixture)
                try fixture.apply(from, to, [#"+{"id":1,"label":"a"}"#])
                #expect(try fixture.rows() == [[1, "a"]])
                #expect(try shadows(fixture) == [])
            }
            try leaveShadow(fixture)
            try fixture.store.schemaTransaction { try fixture.store.dropSynchronizedTable("SOCKET") }
            #expect(try shadows(fixture) == [])
            #expect(try fixture.store.schema(of: "socket") == nil)
            #expect(try fixture.store.rows("SELECT name FROM patchbay_delta WHERE name LIKE '%socket'", []) == [])
        }
        try DeltaFixture.run(kind) { fixture in
            // Nothing to drop.
            try fixture.store.schemaTransaction { try fixture.store.dropSynchronizedTable("socket") }
        }
    }

    @Test(arguments: StoreSubject.sqlite, [1, 2000, 2100, 5000])
    func `the first load of few rows changes no schema, whose cost grows with the number of tables`(
        kind: StoreSubject, count: Int
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            let store = fixture.store
            /// Differs for a table that replaced another one.
            func rootPage() throws -> [[StoreValue]] {
                try store.rows("SELECT rootpage FROM sqlite_master WHERE name = 'socket'")
            }
            try store.createTable(fixture.target.tables[0])
            let empty = try rootPage()
            let rows = (1...count).map { "+{\"id\":\($0),\"label\":\"a\"}" } + ["-[1]"]
            #expect(try fixture.apply(nil, "1", rows).counts == DeltaCounts(upserts: count, deletes: 1))
            let root = try rootPage()
            #expect((root == empty) == (count <= 2000))
            #expect(try store.rows("SELECT count(*) FROM socket") == [[.integer(Int64(count - 1))]])
            #expect(try fixture.request() == .changes(since: "1"))
            try fixture.refuse(DeltaFixture.text(nil, "2", rows, counts: (7, 7)), .wrongCount)
        }
    }

    @Test(arguments: StoreSubject.sqlite)
    func `an app's trigger does not run for a full load, also of few rows, and its columns stay`(
        kind: StoreSubject
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            let store = fixture.store
            try store.createTable(fixture.target.tables[0])
            try store.execute("ALTER TABLE socket ADD COLUMN note TEXT DEFAULT 'new'", [])
            try store.execute("CREATE TABLE log (id INTEGER)", [])
            try store.execute("CREATE TRIGGER t AFTER INSERT ON Socket BEGIN INSERT INTO log VALUES (new.id); END", [])
            try fixture.apply(nil, "1", [#"+{"id":1}"#])
            #expect(try store.rows("SELECT * FROM log") == [])
            #expect(try fixture.rows("id, note") == [[1, "new"]])
            try fixture.apply("1", "2", [#"+{"id":2}"#])
            #expect(try store.rows("SELECT * FROM log") == [[2]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `few rows are refused when another program has loaded the empty tables meanwhile`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            let (other, target) = (DeltaApplier(fixture.store), fixture.target)
            var isLoaded = false
            var source = InterruptedSource(Self.source(nil, "2", [#"+{"id":2}"#])) { _ in
                if !isLoaded {
                    isLoaded = true
                    let load = onThread {
                        var newer = Self.source(nil, "3", [#"+{"id":3}"#])
                        _ = try? other.apply(&newer, to: target)
                    }
                    #expect(load())
                }
            }
            let error = #expect(throws: DeltaError.self) { try fixture.applier.apply(&source, to: target) }
            #expect(error?.code == .busy)
            let state = try fixture.state()
            #expect(state == .init(rows: [[3, nil, nil]], version: "3"))
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a full load keeps the app's columns with their values and indexes, a delta their values`(
        kind: StoreSubject
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            let store = fixture.store
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a","gain":1}"#, #"+{"id":2}"#])
            let value = kind.supportsIndexes ? " DEFAULT 'new'" : ""
            try store.execute("ALTER TABLE socket ADD COLUMN \"my note\" TEXT\(value)", [])
            try store.execute("UPDATE socket SET \"my note\" = 'mine' WHERE id = 1")
            if kind.supportsIndexes { try store.execute("CREATE INDEX notes ON socket (\"my note\")") }
            #expect(try fixture.request() == .changes(since: "1"))
            // The server no longer has this one.
            fixture.target = try DeltaFixture.target([DeltaFixture.columns[0], DeltaFixture.columns[1]])
            try fixture.apply("1", "2", [#"+{"id":1,"label":"b"}"#])
            #expect(try fixture.rows("id, label, gain, \"my note\"").first == [1, "b", nil, "mine"])
            let new: StoreValue = kind.supportsIndexes ? "new" : nil
            for _ in 0..<2 {
                try fixture.apply(nil, "3", [#"+{"id":1,"label":"c"}"#, #"+{"id":3}"#])
                #expect(try fixture.rows("id, label, \"my note\"") == [[1, "c", "mine"], [3, nil, new]])
                #expect(try store.schema(of: "socket")?.columns.map(\.name) == ["id", "label", "my note"])
                try fixture.applier.invalidate(fixture.target)
            }
            try store.execute("UPDATE socket SET \"my note\" = NULL WHERE id = 3")
            try fixture.apply(nil, "4", [#"+{"id":1}"#, #"+{"id":3}"#, #"+{"id":4}"#])
            #expect(try fixture.rows("id, \"my note\"") == [[1, "mine"], [3, nil], [4, new]])
            guard kind.supportsIndexes else { return }
            #expect(try store.rows("SELECT count(*) FROM sqlite_master WHERE name = 'notes'") == [[1]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `the values of more rows than a batch are kept`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            let rows = (1...5000).map { "+{\"id\":\($0)}" }
            try fixture.apply(nil, "1", rows)
            try fixture.store.execute("ALTER TABLE socket ADD COLUMN note INTEGER")
            try fixture.store.execute("UPDATE socket SET note = id WHERE id % 2 = 0")
            try fixture.apply(nil, "2", Array(rows.dropLast(2)))
            #expect(
                try fixture.store.rows("SELECT count(note), sum(note), count(*) FROM socket")
                    == [[2499, 6_247_500, 4998]])
            #expect(try fixture.store.rows("SELECT count(*) FROM socket WHERE note != id") == [[0]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a full load of rows that were requested before an invalidation fails`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            let (applier, target) = (fixture.applier, fixture.target)
            let rows = (1...5000).map { "+{\"id\":\($0)}" }
            for last in [1, 2] {
                // The second time, after the last batch.
                var source = InterruptedSource(Self.source(nil, "2", rows)) { batch in
                    if batch == last + 1 { try applier.invalidateAll() }
                }
                let error = #expect(throws: DeltaError.self) { try applier.apply(&source, to: target) }
                #expect(error?.code == .busy)
                #expect(try fixture.request() == .fullLoad)
                #expect(try fixture.rows() == [[1, "a"]])
                #expect(try shadows(fixture) == [])
            }
            try fixture.apply(nil, "3", rows)
            #expect(try fixture.request() == .changes(since: "3"))
        }
    }

    @Test(arguments: StoreSubject.all) func `tables without a primary key are loaded in full`(
        kind: StoreSubject
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            let table = try TableSchema("socket", columns: DeltaFixture.columns)
            fixture.target = try DeltaTarget(replacing: [table], binding: fixture.target.binding)
            try fixture.apply(
                nil, "1", [#"+{"id":1,"label":"a"}"#, #"+{"id":1,"label":"a"}"#, #"+{"id":null}"#])
            #expect(try fixture.rows() == [[nil, nil], [1, "a"], [1, "a"]])
            #expect(try fixture.version() == "1")
            try fixture.apply(nil, "2", [#"+{"id":2}"#])
            #expect(try fixture.rows() == [[2, nil]])
            try fixture.refuse(DeltaFixture.text("1", "3", [#"+{"id":3}"#]), .gap)
        }
    }
}

/// A source that calls a closure after its header.
private struct HeaderInterruptedSource<Base: DeltaSource>: DeltaSource {
    var base: Base
    let interruption: () throws -> Void

    init(_ base: Base, _ interruption: @escaping () throws -> Void) {
        self.base = base
        self.interruption = interruption
    }

    mutating func begin(_ target: DeltaTarget) throws(DeltaError) -> DeltaHeader {
        let header = try base.begin(target)
        do {
            try interruption()
        } catch {
            throw DeltaError(.source, "interrupted", underlying: error)
        }
        return header
    }

    mutating func next(into buffer: inout DeltaBuffer) throws(DeltaError) -> DeltaStep { try base.next(into: &buffer) }
}
