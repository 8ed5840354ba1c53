import Foundation
import StoreTestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Stored version and next request: duplicates, gaps, schema changes and other bindings.
@Suite struct DeltaApplierVersionTests {
    @Test(arguments: StoreSubject.all) func `T2: the same delta twice`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            let changes = ["-[1]", #"+{"id":2,"label":"b"}"#]
            try fixture.apply("1", "2", changes)
            let state = try fixture.state()
            let again = try fixture.apply("1", "2", changes)
            #expect(again == DeltaOutcome(version: "2", counts: DeltaCounts(), isDuplicate: true, hasMore: false))
            #expect(try fixture.apply(nil, "2", [#"+{"id":9}"#]).isDuplicate)
            #expect(try fixture.apply("2", "2", [#"+{"id":9}"#]).isDuplicate)
            #expect(try fixture.state() == state)
        }
    }

    @Test(arguments: StoreSubject.all) func `T3, T7: a delta from another version`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.refuse(DeltaFixture.text("3", "4"), .gap)
            try fixture.apply(nil, "2", [#"+{"id":1}"#])
            try fixture.refuse(DeltaFixture.text("3", "4", [#"+{"id":4}"#]), .gap)
            try fixture.apply("2", "3", [#"+{"id":3}"#])
            try fixture.apply("3", "4", [#"+{"id":4}"#])
            try fixture.refuse(DeltaFixture.text("2", "3", ["-[3]"]), .gap)
            #expect(try fixture.rows("id") == [[1], [3], [4]])
        }
    }

    @Test(arguments: StoreSubject.all) func `T3: an update retries, then requests a full load`(kind: StoreSubject)
        throws
    {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "2", [#"+{"id":1}"#])
            var asked: [DeltaRequest] = []
            func update(_ responses: String...) throws -> DeltaOutcome {
                asked = []
                var rest = responses[...]
                return try fixture.applier.update(fixture.target) { request in
                    asked.append(request)
                    return DeltaFixture.source(Data((rest.popFirst() ?? "").utf8), chunkSize: 100)
                }
            }
            // The retry succeeds.
            #expect(
                try update(DeltaFixture.text("3", "4"), DeltaFixture.text("2", "3", [#"+{"id":3}"#])).version == "3")
            #expect(asked == [.changes(since: "2"), .changes(since: "2")])
            // The retry fails too.
            let all = DeltaFixture.text(nil, "9", [#"+{"id":9}"#])
            #expect(try update(DeltaFixture.text("7", "8"), DeltaFixture.text("7", "8"), all).version == "9")
            #expect(asked == [.changes(since: "3"), .changes(since: "3"), .fullLoad])
            #expect(try fixture.rows("id") == [[9]])
            // Even the full load fails: the old rows stay readable.
            let error = #expect(throws: DeltaError.self) {
                _ = try update(DeltaFixture.text("7", "8"), DeltaFixture.text("7", "8"), DeltaFixture.text("7", "8"))
            }
            #expect(error?.code == .gap)
            #expect(try fixture.rows("id") == [[9]])
            #expect(try fixture.request() == .fullLoad)
            // Several pages, one of them sent twice.
            let page = DeltaFixture.text(nil, "p1", more: true, [#"+{"id":1}"#])
            let outcome = try update(page, page, DeltaFixture.text("p1", "10", [#"+{"id":2}"#]))
            #expect(
                outcome == DeltaOutcome(version: "10", counts: .init(upserts: 2), isDuplicate: false, hasMore: false))
            #expect(asked == [.fullLoad, .nextPage(after: "p1"), .nextPage(after: "p1")])
            // The request fails.
            let lost = #expect(throws: DeltaError.self) {
                _ = try fixture.applier.update(fixture.target) { _ -> JSONDeltaSource in throw Interruption() }
            }
            #expect(lost?.code == .source)
            #expect(lost?.underlying is Interruption)
        }
    }

    @Test(arguments: StoreSubject.all) func `T10: a column is added`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            let columns = DeltaFixture.columns + [.init("note", "TEXT")]
            fixture.target = try DeltaFixture.target(columns)
            // A full load is needed; reading the next request changes nothing.
            #expect(try fixture.request() == .fullLoad)
            #expect(try fixture.store.schema(of: "socket")?.columns.count == 3)
            #expect(try fixture.request() == .fullLoad)
            try fixture.apply(nil, "2", [#"+{"id":1,"note":"x"}"#])
            #expect(try fixture.rows("id, note") == [[1, "x"]])
            // The server backfills the new column.
            fixture.target = try DeltaFixture.target(columns + [.init("more", "TEXT")])
            fixture.target.backfillsAddedColumns = true
            #expect(try fixture.request() == .changes(since: "2"))
            try fixture.apply("2", "3", [#"+{"id":2,"more":"y"}"#])
            #expect(try fixture.rows("id, note, more") == [[1, "x", nil], [2, nil, "y"]])
        }
    }

    @Test(arguments: StoreSubject.all) func `T10: a column is removed`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#, #"+{"id":2,"label":"b"}"#])
            fixture.target = try DeltaFixture.target([.init("id", "INTEGER"), .init("gain", "REAL")])
            #expect(try fixture.request() == .changes(since: "1"))
            try fixture.apply("1", "2", [#"+{"id":2,"gain":1}"#, #"+{"id":3,"gain":2}"#])
            #expect(try fixture.rows("id, label, gain") == [[1, "a", nil], [2, nil, 1.0], [3, nil, 2.0]])
            #expect(try fixture.request() == .changes(since: "2"))
            try fixture.refuse(DeltaFixture.text("2", "3", [#"+{"id":4,"label":"x"}"#]), .unknownColumn)
        }
    }

    @Test(
        arguments: StoreSubject.all,
        [
            ([.init("id", "INTEGER"), .init("label", "BLOB")], ["id"], #"+{"id":1,"label":"x"}"#),
            ([.init("key", "TEXT"), .init("label", "TEXT")], ["key"], #"+{"key":1,"label":"x"}"#),
            (
                [.init("id", "INTEGER"), .init("label", "TEXT"), .init("gain", "REAL")], ["label"],
                #"+{"id":1,"label":"x"}"#
            ),
        ] as [([TableSchema.Column], [SQLIdentifier], String)])
    func `T10: a type or the key has changed`(
        kind: StoreSubject, change: ([TableSchema.Column], [SQLIdentifier], String)
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"old"}"#])
            fixture.target = try DeltaFixture.target(change.0, key: change.1)
            #expect(try fixture.request() == .fullLoad)
            #expect(try fixture.rows() == [[1, "old"]])
            try fixture.refuse(DeltaFixture.text("1", "2", []), .gap)
            try fixture.apply(nil, "2", [change.2])
            let schema = try #require(try fixture.store.schema(of: "socket"))
            #expect(schema.columns == change.0)
            #expect(schema.primaryKey == change.1)
            #expect(try fixture.store.rows("SELECT label FROM socket") == [["x"]])
            #expect(try fixture.request() == .changes(since: "2"))
        }
    }

    @Test(arguments: StoreSubject.all) func `T10: columns in another order are another schema`(kind: StoreSubject)
        throws
    {
        try DeltaFixture.run(kind) { fixture in
            let (id, label, gain) = (DeltaFixture.columns[0], DeltaFixture.columns[1], DeltaFixture.columns[2])
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            // Also when the table has a column that the server has removed.
            for columns in [[id, gain, label], [label, id]] {
                fixture.target = try DeltaFixture.target(columns)
                #expect(try fixture.request() == .fullLoad)
                try fixture.refuse(DeltaFixture.text("1", "2", []), .gap)
                #expect(try fixture.request() == .fullLoad)
                try fixture.apply(nil, "1", [#"+{"id":1,"label":"b"}"#])
                #expect(try fixture.rows() == [[1, "b"]])
                #expect(try fixture.request() == .changes(since: "1"))
            }
        }
    }

    @Test(arguments: StoreSubject.all) func `T10: a column that was removed is sent again, or was dropped by the app`(
        kind: StoreSubject
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a","gain":1}"#])
            let all = fixture.target
            fixture.target = try DeltaFixture.target([DeltaFixture.columns[0]])
            try fixture.apply("1", "2", [#"+{"id":2}"#])
            // Row 2 would lack its values.
            fixture.target = all
            #expect(try fixture.request() == .fullLoad)
            try fixture.apply(nil, "2", [#"+{"id":2,"label":"b"}"#])
            #expect(try fixture.request() == .changes(since: "2"))
            try fixture.store.execute("ALTER TABLE socket DROP COLUMN label")
            #expect(try fixture.request() == .fullLoad)
            #expect(throws: DeltaError.self) { try fixture.apply("2", "3") }
            #expect(try fixture.request() == .fullLoad)
        }
    }

    @Test(arguments: StoreSubject.all) func `T10: another program has changed the table`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            try fixture.store.execute("DROP TABLE socket")
            #expect(try fixture.request() == .fullLoad)
            #expect(try fixture.store.schema(of: "socket") == nil)
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            #expect(try fixture.version() == "1")
        }
    }

    @Test(arguments: StoreSubject.all) func `T19: a version is valid only for its binding`(kind: StoreSubject)
        throws
    {
        try DeltaFixture.run(kind) { fixture in
            let mine = fixture.target.binding
            let changes: [(inout DeltaBinding) -> Void] = [
                { $0.server = "https://example.org" }, { $0.environment = "test" }, { $0.project = "p" },
                { $0.parameters = "{}" },
                { $0.user = "8" }, { $0.user = "" }, { ($0.environment, $0.project) = ("a", "b") },
                { ($0.environment, $0.project) = ("ab", "") },
            ]
            for change in changes {
                fixture.target = try DeltaFixture.target(binding: mine)
                try fixture.apply(nil, "1", [#"+{"id":1,"label":"mine"}"#])
                #expect(try fixture.request() == .changes(since: "1"))
                var other = mine
                change(&other)
                fixture.target = try DeltaFixture.target(binding: other)
                #expect(try fixture.request() == .fullLoad)
                try fixture.refuse(DeltaFixture.text("1", "2", [#"+{"id":2}"#]), .gap)
                try fixture.apply(nil, "1", [#"+{"id":2,"label":"other"}"#])
                #expect(try fixture.rows() == [[2, "other"]])
                fixture.target = try DeltaFixture.target(binding: mine)
                #expect(try fixture.request() == .fullLoad)
            }
            // The same holds for pages.
            try fixture.apply(nil, "p1", more: true, [#"+{"id":3}"#])
            fixture.target = try DeltaFixture.target(binding: DeltaBinding(server: "x", resource: "sockets"))
            #expect(try fixture.request() == .fullLoad)
            try fixture.refuse(DeltaFixture.text("p1", "2"), .gap)
        }
    }

    @Test(arguments: StoreSubject.all) func `T19: a new generation of the store`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1}"#])
            try fixture.applier.invalidateAll()
            #expect(try fixture.request() == .fullLoad)
            #expect(try fixture.rows("id") == [[1]])
            try fixture.apply(nil, "1", [#"+{"id":2}"#])
            #expect(try fixture.request() == .changes(since: "1"))
            try fixture.applier.invalidate(fixture.target)
            #expect(try fixture.request() == .fullLoad)
            #expect(try fixture.rows("id") == [[2]])
        }
    }

    @Test(arguments: StoreSubject.all) func `T21: the stored version is lost`(kind: StoreSubject)
        throws
    {
        try DeltaFixture.run(kind) { fixture in
            for loss in [
                "DELETE FROM patchbay_delta WHERE name = 'socket'", "DELETE FROM patchbay_delta",
                "DROP TABLE patchbay_delta",
            ] {
                try fixture.apply(nil, "1", [#"+{"id":1}"#])
                try fixture.store.execute(loss, [])
                #expect(try fixture.request() == .fullLoad)
                #expect(try fixture.rows("id") == [[1]])
                try fixture.refuse(DeltaFixture.text("1", "2"), .gap)
            }
        }
    }

    @Test(arguments: StoreSubject.all)
    func `T22: versions are opaque names, even when they look like a clock going backwards`(
        kind: StoreSubject
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "2024-03-31T02:59:59", [#"+{"id":1}"#])
            try fixture.apply("2024-03-31T02:59:59", "2024-03-31T02:00:00", [#"+{"id":2}"#])
            #expect(try fixture.request() == .changes(since: "2024-03-31T02:00:00"))
            #expect(try fixture.rows("id") == [[1], [2]])
        }
    }
}
