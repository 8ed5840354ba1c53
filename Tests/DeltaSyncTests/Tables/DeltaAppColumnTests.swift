import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Columns that an app has added to synchronized tables, through full loads.
@Suite(.needsSlot) struct DeltaAppColumnTests {
    /// Default values, with that of a new row.
    private static let defaults: [(sql: String, value: StoreValue)] = [
        ("(lower('X'))", "x"), ("(1 + 2)", "3"), ("-5", "-5"), ("+7", "7"), ("'it''s'", "it's"), ("NULL", nil),
        ("plain", "plain"), ("(NULL)", nil), ("TRUE", "1"), ("x'41'", .blob(.init("A".utf8))),
    ]

    @Test(arguments: StoreSubject.sqlite, defaults.indices)
    func `a full load keeps the default value of a column, also an expression`(kind: StoreSubject, index: Int) throws {
        let (sql, value) = Self.defaults[index]
        try DeltaFixture.run(kind) { fixture in
            let store = fixture.store
            try store.createTable(fixture.target.tables[0])
            let constraint = value == .null ? "" : "NOT NULL "
            try store.execute("ALTER TABLE socket ADD COLUMN made TEXT \(constraint)DEFAULT \(sql)", [])
            for version in ["1", "2", "3"] {
                try fixture.apply(nil, version, [#"+{"id":1}"#])
                #expect(try fixture.rows("id, made") == [[1, value]])
                #expect(try fixture.applier.version(of: fixture.target) == version)
                try fixture.applier.invalidate(fixture.target)
            }
            try store.execute("INSERT INTO socket (id) VALUES (2)")
            #expect(try fixture.rows("id, made") == [[1, value], [2, value]])
            #expect(try store.schema(of: "socket")?.columns.last?.isNotNull == (value != .null))
        }
    }

    @Test(arguments: StoreSubject.sqlite)
    func `changes and pages go on beside a column that is NOT NULL with a default value`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1}"#])
            try fixture.store.execute("ALTER TABLE socket ADD COLUMN kind TEXT NOT NULL DEFAULT 'new'")
            try fixture.apply("1", "2", [#"+{"id":2}"#])
            try fixture.apply(nil, "p1", more: true, [#"+{"id":1}"#])
            try fixture.apply("p1", "3", [#"+{"id":3}"#])
            #expect(try fixture.rows("id, kind") == [[1, "new"], [3, "new"]])
            #expect(try fixture.applier.version(of: fixture.target) == "3")
        }
    }

    @Test(arguments: StoreSubject.sqlite)
    func `a column that the server no longer has is not the app's, and a full load replaces it`(
        kind: StoreSubject
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            let (id, kind) = (DeltaFixture.columns[0], TableSchema.Column("kind", "TEXT", isNotNull: true))
            try fixture.store.execute("CREATE TABLE socket (id INTEGER PRIMARY KEY, kind TEXT NOT NULL DEFAULT 'new')")
            fixture.target = try DeltaFixture.target([id, kind])
            try fixture.apply(nil, "1", [#"+{"id":1,"kind":"a"}"#])
            fixture.target = try DeltaFixture.target([id])
            #expect(throws: DeltaError.self) { try fixture.apply("1", "2", [#"+{"id":2}"#]) }
            try fixture.apply(nil, "2", [#"+{"id":2}"#])
            try fixture.apply("2", "3", [#"+{"id":3}"#])
            #expect(try fixture.rows("id") == [[2], [3]])
        }
    }

    @Test(arguments: StoreSubject.sqlite)
    func `a default value that is not constant is dropped where the column comes during a load`(
        kind: StoreSubject
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            let store = fixture.store
            try store.createTable(fixture.target.tables[0])
            try fixture.apply(nil, "p1", more: true, [#"+{"id":1}"#])
            try store.execute("ALTER TABLE socket ADD COLUMN made TEXT DEFAULT (lower('X'))")
            try store.execute("ALTER TABLE socket ADD COLUMN kind TEXT NOT NULL DEFAULT 'old'")
            try fixture.apply("p1", "2", [#"+{"id":2}"#])
            #expect(try fixture.rows("id, made, kind") == [[1, nil, "old"], [2, nil, "old"]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `the values are kept for each rowid, also with columns of that name`(kind: StoreSubject) throws {
        for names in [[], ["rowid"], ["RowID", "_rowid_"], ["oid", "rowid", "_rowid_"]] as [[SQLIdentifier]] {
            try DeltaFixture.run(kind) { fixture in
                let columns = [DeltaFixture.columns[0]] + names.map { TableSchema.Column($0, "INTEGER") }
                fixture.target = try DeltaFixture.target(columns)
                let others = names.map { ",\"\($0.text)\":7" }.joined()
                let ids = [Int64.min, .min + 1, 0, .max] + (1...3000)
                let rows = ids.map { "+{\"id\":\($0)\(others)}" }
                try fixture.apply(nil, "1", rows)
                try fixture.store.execute("ALTER TABLE socket ADD COLUMN note INTEGER")
                try fixture.store.execute("UPDATE socket SET note = id")
                try fixture.apply(nil, "2", rows)
                #expect(
                    try fixture.store.rows("SELECT count(*) FROM socket WHERE note = id")
                        == [[.integer(Int64(ids.count))]])
            }
        }
    }

    @Test(arguments: StoreSubject.sqlite)
    func `the values of a table without rowids are kept`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.store.execute(
                "CREATE TABLE socket (id INTEGER PRIMARY KEY, label TEXT, gain REAL, note TEXT) WITHOUT ROWID")
            try fixture.apply(nil, "1", [#"+{"id":1}"#, #"+{"id":2}"#])
            try fixture.store.execute("UPDATE socket SET note = 'mine' WHERE id = 2")
            try fixture.apply(nil, "2", [#"+{"id":1}"#, #"+{"id":2}"#])
            #expect(try fixture.rows("id, note") == [[1, nil], [2, "mine"]])
        }
    }
}
