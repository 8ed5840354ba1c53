import Foundation
import Testing

@testable import LocalStore

/// Which version a store is said to have, and so what is asked for next: whatever comes twice, is missing or is of
/// another table.
@Suite struct DeltaApplierVersionTests {
    @Test(arguments: StoreUnderTest.all) func `T2: the same delta twice`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            let changes = ["-[1]", #"+{"id":2,"label":"b"}"#]
            try world.apply("1", "2", changes)
            let state = try world.state()
            let again = try world.apply("1", "2", changes)
            #expect(again == DeltaOutcome(version: "2", counts: DeltaCounts(), isDuplicate: true, hasMore: false))
            #expect(try world.apply(nil, "2", [#"+{"id":9}"#]).isDuplicate)
            #expect(try world.apply("2", "2", [#"+{"id":9}"#]).isDuplicate)
            #expect(try world.state() == state)
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T3, T7: a delta from another version`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.refuse(DeltaWorld.text("3", "4"), .gap)
            try world.apply(nil, "2", [#"+{"id":1}"#])
            try world.refuse(DeltaWorld.text("3", "4", [#"+{"id":4}"#]), .gap)
            try world.apply("2", "3", [#"+{"id":3}"#])
            try world.apply("3", "4", [#"+{"id":4}"#])
            try world.refuse(DeltaWorld.text("2", "3", ["-[3]"]), .gap)
            #expect(try world.rows("id") == [[1], [3], [4]])
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T3: an update asks again, then for everything`(kind: StoreUnderTest)
        throws
    {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "2", [#"+{"id":1}"#])
            var asked: [DeltaRequest] = []
            func update(_ answers: String...) throws -> DeltaOutcome {
                asked = []
                var rest = answers[...]
                return try world.applier.update(world.target) { request in
                    asked.append(request)
                    return DeltaWorld.source(Data((rest.popFirst() ?? "").utf8), pieces: 100)
                }
            }
            // The right one comes when asked again.
            #expect(try update(DeltaWorld.text("3", "4"), DeltaWorld.text("2", "3", [#"+{"id":3}"#])).version == "3")
            #expect(asked == [.changes(since: "2"), .changes(since: "2")])
            // It never comes.
            let all = DeltaWorld.text(nil, "9", [#"+{"id":9}"#])
            #expect(try update(DeltaWorld.text("7", "8"), DeltaWorld.text("7", "8"), all).version == "9")
            #expect(asked == [.changes(since: "3"), .changes(since: "3"), .everything])
            #expect(try world.rows("id") == [[9]])
            // Not even then: the old rows stay readable.
            let error = #expect(throws: DeltaError.self) {
                _ = try update(DeltaWorld.text("7", "8"), DeltaWorld.text("7", "8"), DeltaWorld.text("7", "8"))
            }
            #expect(error?.code == .gap)
            #expect(try world.rows("id") == [[9]])
            #expect(try world.request() == .everything)
            // Several pages, of which one comes twice.
            let page = DeltaWorld.text(nil, "p1", more: true, [#"+{"id":1}"#])
            let outcome = try update(page, page, DeltaWorld.text("p1", "10", [#"+{"id":2}"#]))
            #expect(
                outcome == DeltaOutcome(version: "10", counts: .init(upserts: 2), isDuplicate: false, hasMore: false))
            #expect(asked == [.everything, .rest(after: "p1"), .rest(after: "p1")])
            // The server cannot be asked.
            let lost = #expect(throws: DeltaError.self) {
                _ = try world.applier.update(world.target) { _ -> JSONDeltaSource in throw Interruption() }
            }
            #expect(lost?.code == .source)
            #expect(lost?.underlying is Interruption)
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T10: a column is added`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            let columns = DeltaWorld.columns + [.init("note", "TEXT")]
            world.target = try DeltaWorld.target(columns)
            // The rows are asked for again; asking changes nothing.
            #expect(try world.request() == .everything)
            #expect(try world.store.schema(of: "socket")?.columns.count == 3)
            #expect(try world.request() == .everything)
            try world.apply(nil, "2", [#"+{"id":1,"note":"x"}"#])
            #expect(try world.rows("id, note") == [[1, "x"]])
            // A server may send what is new by itself.
            world.target = try DeltaWorld.target(columns + [.init("more", "TEXT")])
            world.target.backfillsAddedColumns = true
            #expect(try world.request() == .changes(since: "2"))
            try world.apply("2", "3", [#"+{"id":2,"more":"y"}"#])
            #expect(try world.rows("id, note, more") == [[1, "x", nil], [2, nil, "y"]])
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T10: a column is removed`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#, #"+{"id":2,"label":"b"}"#])
            world.target = try DeltaWorld.target([.init("id", "INTEGER"), .init("gain", "REAL")])
            #expect(try world.request() == .changes(since: "1"))
            try world.apply("1", "2", [#"+{"id":2,"gain":1}"#, #"+{"id":3,"gain":2}"#])
            #expect(try world.rows("id, label, gain") == [[1, "a", nil], [2, nil, 1.0], [3, nil, 2.0]])
            #expect(try world.request() == .changes(since: "2"))
            try world.refuse(DeltaWorld.text("2", "3", [#"+{"id":4,"label":"x"}"#]), .unknownColumn)
        }
    }

    @Test(
        arguments: StoreUnderTest.all,
        [
            ([.init("id", "INTEGER"), .init("label", "BLOB")], ["id"], #"+{"id":1,"label":"x"}"#),
            ([.init("key", "TEXT"), .init("label", "TEXT")], ["key"], #"+{"key":1,"label":"x"}"#),
            (
                [.init("id", "INTEGER"), .init("label", "TEXT"), .init("gain", "REAL")], ["label"],
                #"+{"id":1,"label":"x"}"#
            ),
        ] as [([TableSchema.Column], [SQLIdentifier], String)])
    func `T10: a type or the key has changed`(
        kind: StoreUnderTest, change: ([TableSchema.Column], [SQLIdentifier], String)
    ) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"old"}"#])
            world.target = try DeltaWorld.target(change.0, key: change.1)
            #expect(try world.request() == .everything)
            #expect(try world.rows() == [[1, "old"]])
            try world.refuse(DeltaWorld.text("1", "2", []), .gap)
            try world.apply(nil, "2", [change.2])
            let schema = try #require(try world.store.schema(of: "socket"))
            #expect(schema.columns == change.0)
            #expect(schema.primaryKey == change.1)
            #expect(try world.store.rows("SELECT label FROM socket") == [["x"]])
            #expect(try world.request() == .changes(since: "2"))
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T10: somebody else has changed the table`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            try world.store.execute("DROP TABLE socket")
            #expect(try world.request() == .everything)
            #expect(try world.store.schema(of: "socket") == nil)
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            #expect(try world.version() == "1")
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T19: a version counts for what it was loaded for`(kind: StoreUnderTest)
        throws
    {
        try DeltaWorld.run(kind) { world in
            let mine = world.target.binding
            let changes: [(inout DeltaBinding) -> Void] = [
                { $0.server = "https://example.org" }, { $0.environment = "test" }, { $0.project = "p" },
                { $0.parameters = "{}" },
                { $0.user = "8" }, { $0.user = "" }, { ($0.environment, $0.project) = ("a", "b") },
                { ($0.environment, $0.project) = ("ab", "") },
            ]
            for change in changes {
                world.target = try DeltaWorld.target(binding: mine)
                try world.apply(nil, "1", [#"+{"id":1,"label":"mine"}"#])
                #expect(try world.request() == .changes(since: "1"))
                var other = mine
                change(&other)
                world.target = try DeltaWorld.target(binding: other)
                #expect(try world.request() == .everything)
                try world.refuse(DeltaWorld.text("1", "2", [#"+{"id":2}"#]), .gap)
                try world.apply(nil, "1", [#"+{"id":2,"label":"other"}"#])
                #expect(try world.rows() == [[2, "other"]])
                world.target = try DeltaWorld.target(binding: mine)
                #expect(try world.request() == .everything)
            }
            // Nor for pages.
            try world.apply(nil, "p1", more: true, [#"+{"id":3}"#])
            world.target = try DeltaWorld.target(binding: DeltaBinding(server: "x", resource: "sockets"))
            #expect(try world.request() == .everything)
            try world.refuse(DeltaWorld.text("p1", "2"), .gap)
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T19: a new generation of the store`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1}"#])
            try world.applier.forgetAll()
            #expect(try world.request() == .everything)
            #expect(try world.rows("id") == [[1]])
            try world.apply(nil, "1", [#"+{"id":2}"#])
            #expect(try world.request() == .changes(since: "1"))
            try world.applier.forget(world.target)
            #expect(try world.request() == .everything)
            #expect(try world.rows("id") == [[2]])
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T21: what the store knows of the version is gone`(kind: StoreUnderTest)
        throws
    {
        try DeltaWorld.run(kind) { world in
            for loss in [
                "DELETE FROM patchbay_delta WHERE name = 'socket'", "DELETE FROM patchbay_delta",
                "DROP TABLE patchbay_delta",
            ] {
                try world.apply(nil, "1", [#"+{"id":1}"#])
                try world.store.execute(loss)
                #expect(try world.request() == .everything)
                #expect(try world.rows("id") == [[1]])
                try world.refuse(DeltaWorld.text("1", "2"), .gap)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T22: versions are names, and may look like a clock that went back`(
        kind: StoreUnderTest
    ) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "2024-03-31T02:59:59", [#"+{"id":1}"#])
            try world.apply("2024-03-31T02:59:59", "2024-03-31T02:00:00", [#"+{"id":2}"#])
            #expect(try world.request() == .changes(since: "2024-03-31T02:00:00"))
            #expect(try world.rows("id") == [[1], [2]])
        }
    }
}
