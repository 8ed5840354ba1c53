import DeltaSync
import Foundation
import LocalStore
import PatchbayTestKit
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import HyperHive

@Suite struct TableWriterTests {
    @Test func `HyperHive 6: versions of full loads, deltas and empty deltas`() async throws {
        try await LoaderFixture.onStores { store in
            let fixture = try LoaderFixture(store)
            #expect(try fixture.stored() == .init(version: 0, etag: nil))
            let outcome = try await fixture.load(
                LoaderFixture.delta("[101,1,\"Apple\"],[102,2,\"Pear\"]"), "delta v0-v1", etag: "\"a\"")
            #expect(outcome == TableChanges(version: 1, upserts: 2, deletes: 0))
            #expect(try fixture.stored() == .init(version: 1, etag: "\"a\""))
            try await fixture.load(LoaderFixture.delta(""), "\"delta v1-v2\"", etag: "\"b\"")
            #expect(try fixture.stored() == .init(version: 2, etag: "\"b\""))
            try await fixture.load("[]", "delta v2-v2")
            #expect(try fixture.stored() == .init(version: 2, etag: "\"b\""))
            #expect(try fixture.fruits() == [[101, 1, "Apple"], [102, 2, "Pear"]])
        }
    }

    @Test func `HyperHive 7: an update is a deletion and a row, though the deletions follow`() async throws {
        try await LoaderFixture.onStores { store in
            let fixture = try LoaderFixture(store)
            try await fixture.load(
                LoaderFixture.delta("[101,1,\"Apple\"],[102,2,\"Pear\"],[103,3,null]"), "delta v0-v1")
            let outcome = try await fixture.load(
                LoaderFixture.delta("[102,2,\"Pear, sliced\"],[104,4,null]", "102,101,999"), "delta v1-v3")
            #expect(outcome == TableChanges(version: 3, upserts: 2, deletes: 3))
            #expect(try fixture.fruits() == [[102, 2, "Pear, sliced"], [103, 3, .null], [104, 4, .null]])
            #expect(try fixture.version() == 3)
            #expect(try fixture.folder.names == [])
        }
    }

    @Test func `HyperHive 7: several tables of one response, and tables that it lacks`() async throws {
        try await LoaderFixture.onStores { store in
            let fixture = try LoaderFixture(store)
            let trees = { try store.rows("SELECT hhive_id, id FROM R_trees ORDER BY 1", []) }
            try await fixture.load(
                #"[{"name":"trees","insert_rows":[[7,1],[8,2]]},{"name":"fruits","insert_rows":[[1,1,null],[2,2,null]]}]"#,
                "delta v0-v1")
            let outcome = try await fixture.load(
                #"[{"name":"fruits","insert_rows":[[3,3,null]],"delete_ids":[1]},{"name":"trees","insert_rows":[[8,9],[8,3]],"#
                    + #""delete_ids":[7]},{"name":"fruits","insert_rows":[],"delete_ids":[2]}]"#, "delta v1-v2")
            #expect(outcome == TableChanges(version: 2, upserts: 3, deletes: 3))
            #expect(try fixture.fruits() == [[3, 3, .null]])
            // Of rows with the same identifier the last one stays.
            #expect(try trees() == [[8, 3]])
            // A delta leaves a table that it lacks as it was; a full response leaves it empty.
            try await fixture.load(LoaderFixture.delta("[4,4,null]"), "delta v2-v3")
            #expect(try trees() == [[8, 3]])
            try await fixture.load(LoaderFixture.delta("[5,5,null]"), "delta v0-v4")
            #expect(try trees() == [] && fixture.fruits() == [[5, 5, .null]])
            // The word is for requests only.
            try await fixture.refuse(LoaderFixture.delta("[6,6,null]"), "delta v4-last", .malformed)
        }
    }

    @Test func `HyperHive 6: a gap is an error before the body is read, and a full load replaces the rows`()
        async throws
    {
        let fixture = try LoaderFixture(MemoryStore())
        try await fixture.load(LoaderFixture.delta("[1,1,null]"), "delta v0-v2")
        try await fixture.refuse(LoaderFixture.delta("[2,2,null]"), "delta v1-v3", .gap)
        try await fixture.refuse(LoaderFixture.delta("[2,2,null]"), "delta v3-v4", .gap)
        try fixture.writer.applier.invalidate(fixture.target.delta)
        #expect(try fixture.version() == 0)
        #expect(try fixture.fruits().count == 1)
        try await fixture.load(LoaderFixture.delta("[2,2,null]"), "delta v0-v2")
        #expect(try fixture.fruits() == [[2, 2, .null]])
        // A full load that was requested is no duplicate, although its version is the stored one.
        try await fixture.load(LoaderFixture.delta("[3,3,null]"), "delta v0-v2")
        #expect(try fixture.fruits() == [[3, 3, .null]])
    }

    @Test func `HyperHive 8: an error changes nothing`() async throws {
        try await LoaderFixture.onStores { store in
            let fixture = try LoaderFixture(store)
            try await fixture.load(LoaderFixture.delta("[1,1,null],[2,2,null]"), "delta v0-v1")
            let second = { (trees: String) in
                #"[{"name":"fruits","insert_rows":[[3,3,null]],"delete_ids":[1]},{"name":"trees",\#(trees)}]"#
            }
            try await fixture.refuse(second(#""insert_rows":[[1,1],[2,2,2]]"#), "delta v1-v2", .malformed)
            // Which cell is missing is not known.
            try await fixture.refuse(second(#""insert_rows":[[1,1],[2]]"#), "delta v1-v2", .malformed)
            try await fixture.refuse(second(#""insert_rows":[[null,1]]"#), "delta v1-v2", .missingKey)
            try await fixture.refuse(second(#""data":[[1,1]]"#), "delta v1-v2", .malformed)
            try await fixture.refuse(
                #"[{"name":"fruits","delete_ids":[1]},{"name":"x"}]"#, "delta v1-v2", .unknownTable)
            try await fixture.refuse(
                #"[{"name":"fruits","insert_rows":[[3,3,null]]},{"name":"x"}]"#, "delta v0-v2", .unknownTable)
            try await fixture.refuse(#"[{"name":"fruits","insert_rows":[[3,3,null]]}]"#, nil, .malformed)
            try await fixture.refuse(#"{"code":7}"#, "delta v1-v2", .malformed)
        }
    }

    @Test(arguments: ["delta v1-v2", "delta v0-v2"])
    func `HyperHive 8: a connection cut at any byte changes nothing`(_ version: String) async throws {
        let fixture = try LoaderFixture(MemoryStore())
        try await fixture.load(LoaderFixture.delta("[1,1,null],[2,2,null]"), "delta v0-v1")
        let text = LoaderFixture.delta("[3,3,\"x\"],[4,4,null]", "1")
        for count in 0..<text.utf8.count {
            try await fixture.refuse(String(decoding: text.utf8.prefix(count), as: UTF8.self), version, .truncated)
        }
        struct Broken: Error {}
        // All bytes have arrived, but not the end of the body.
        let body = LoaderFixture.body(text, 5, Broken())
        let error = await #expect(throws: DeltaError.self) {
            try await fixture.load(body, version, requestedAt: fixture.writer.storedVersion(of: fixture.target))
        }
        #expect(error?.code == .source)
        #expect(error?.underlying is Broken)
        #expect(try fixture.fruits().count == 2)
        #expect(try fixture.version() == 1)
        #expect(try fixture.folder.names == [])
    }

    @Test func `HyperHive 9: a plain response replaces the rows, and the next request is a full load`() async throws {
        let fixture = try LoaderFixture(MemoryStore())
        try await fixture.load(LoaderFixture.delta("[1,1,null],[2,2,null]"), "delta v0-v1")
        for row in 3..<5 {
            try await fixture.load("[{\"data\":[[\(row),\(row),null]],\"name\":\"fruits\"}]", nil, etag: "\"e\"")
            #expect(try fixture.fruits() == [[.integer(Int64(row)), .integer(Int64(row)), .null]])
            #expect(try fixture.stored() == .init(version: 0, etag: "\"e\""))
        }
        try await fixture.load(#"[{"name":"fruits","data":[[9,9,null]]}]"#, "v6")
        #expect(try fixture.version() == 6)
        try await fixture.load(LoaderFixture.delta("", "9"), "delta v6-v7")
        #expect(try fixture.fruits() == [])
    }

    @Test func `HyperHive 9: rows without versions are replaced, with their validator`() async throws {
        try await LoaderFixture.onStores { store in
            let fixture = try LoaderFixture(store, lifetime: nil)
            #expect(try fixture.stored() == .init(version: 0, etag: nil))
            try await fixture.load(#"[{"name":"fruits","data":[[1,"a"],[1,"a"],[null,null]]}]"#, nil, etag: "\"e\"")
            #expect(try fixture.fruits() == [[.null, .null], [1, "a"], [1, "a"]])
            #expect(try fixture.stored() == .init(version: 0, etag: "\"e\""))
            let outcome = try await fixture.load(
                #"[{"name":"fruits","data":[[2,"b"]]},{"name":"trees","data":[[7]]}]"#, "6")
            #expect(outcome == TableChanges(version: 0, upserts: 2, deletes: 0))
            #expect(try fixture.fruits() == [[2, "b"]])
            #expect(try fixture.stored().etag == nil)
            try await fixture.refuse(
                #"[{"name":"fruits","data":[[3,"c"]]},{"name":"trees","data":[[7,8]]}]"#, nil, .malformed)
            try await fixture.refuse(#"[{"name":"fruits","data":[[3,"c"]]}"#, nil, .truncated)
            #expect(try store.rows("SELECT count(*) FROM R_trees", []) == [[1]])
            #expect(try store.tableNames() == ["R_fruits", "R_trees"])
            #expect(try fixture.shadows() == [])
            try await fixture.load("[]", nil, etag: "\"f\"")
            try fixture.writer.applier.invalidate(fixture.target.delta)
            #expect(try fixture.stored().etag == nil)
        }
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable))
    func `the app's indexes survive a replacement`() async throws {
        let store = try SQLiteStore(.memory)
        let fixture = try LoaderFixture(store, lifetime: nil)
        try await fixture.load("[]", nil)
        try store.execute("CREATE INDEX byName ON R_fruits (name)", [])
        try await fixture.load(#"[{"name":"fruits","data":[[1,"a"]]}]"#, nil)
        #expect(try store.rows("SELECT tbl_name FROM sqlite_master WHERE name = 'byName'", []) == [["R_fruits"]])
    }

    @Test(arguments: ["1 day", nil])
    func `HyperHive 6: the rows of another user are no base for a delta, and their validator is not sent`(
        _ lifetime: String?
    ) async throws {
        let store = MemoryStore()
        let first = try LoaderFixture(store, lifetime: lifetime)
        try await first.load("[]", lifetime == nil ? nil : "delta v0-v1", etag: "\"e\"")
        #expect(try first.stored() == .init(version: lifetime == nil ? 0 : 1, etag: "\"e\""))
        let second = try LoaderFixture(store, lifetime: lifetime, user: "8")
        #expect(try second.stored() == .init(version: 0, etag: nil))
        try await second.load("[]", nil, etag: "\"f\"")
        #expect(try first.stored() == .init(version: 0, etag: nil))
    }

    @Test func `HyperHive 14: a dropped table has no version`() async throws {
        let fixture = try LoaderFixture(MemoryStore(), parameters: "abc")
        try await fixture.load(LoaderFixture.delta("[1,1,null]"), "delta v0-v1")
        #expect(try fixture.version() == 1)
        #expect(try fixture.writer.drop(fixture.target.names) == fixture.target.tables.map(\.schema.name.text))
        #expect(try fixture.version() == 0)
        try await fixture.load(LoaderFixture.delta("[2,2,null]"), "delta v0-v1")
        #expect(try fixture.version() == 1)
    }

    @Test func `HyperHive 14: a table that was dropped and created again has no version`() async throws {
        try await LoaderFixture.onStores { store in
            let fixture = try LoaderFixture(store)
            try await fixture.load(LoaderFixture.delta("[1,1,null]"), "delta v0-v1")
            try store.execute("DROP TABLE R_fruits")
            try TableRegister(store: store).createTables(of: fixture.target)
            #expect(try fixture.version() == 0)
            try await fixture.refuse(LoaderFixture.delta("[2,2,null]"), "delta v1-v2", .gap)
        }
    }

    @Test func `HyperHive 12: a column that the server no longer sends is null in new rows`() async throws {
        try await LoaderFixture.onStores { store in
            let fixture = try LoaderFixture(store)
            try await fixture.load(LoaderFixture.delta("[101,1,\"Apple\"]"), "delta v0-v1")
            let resource = HyperHiveResource(
                "R", lifetime: "1 day",
                outputs: [
                    .init("fruits", columns: [.init("id", .bigint)]), .init("trees", columns: [.init("id", .bigint)]),
                ])
            let target = try ResourceTarget(
                resource, parameters: "", binding: DeltaBinding(server: "https://example.com", resource: "", user: "7"))
            let stored = try fixture.writer.storedVersion(of: target)
            #expect(stored?.number == 1)
            _ = try await fixture.writer.write(
                LoaderFixture.body(LoaderFixture.delta("[102,2]"), 7),
                content: ContentVersion("delta v1-v2"), etag: nil, into: target, requestedAt: stored)
            #expect(try fixture.fruits().last == [102, 2, .null])
        }
    }

    @Test func `HyperHive 18: readers and writers go on while a full load waits for the network`() async throws {
        try await LoaderFixture.onStores { store in
            let fixture = try LoaderFixture(store)
            try await fixture.load(LoaderFixture.delta("[1,1,null]"), "delta v0-v1")
            let (body, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
            let progress = Mutex(0)
            let gate = Gate()
            let stored = try fixture.writer.storedVersion(of: fixture.target)
            async let outcome = fixture.writer.withTables(fixture.target.tableNames) {
                try await fixture.load(body, "delta v0-v2", requestedAt: stored) { new in
                    progress.withLock { $0 = new.rows }
                    gate.open()
                }
            }
            continuation.yield(Data("[{\"name\":\"fruits\",\"insert_rows\":[[2,2,null]".utf8))
            try await gate.wait()
            #expect(try fixture.fruits() == [[1, 1, .null]])
            try store.execute("CREATE TABLE mine (id INTEGER)", [])
            let error = #expect(throws: DeltaError.self) { try fixture.writer.drop(fixture.target.names) }
            #expect(error?.code == .busy)
            continuation.yield(Data(",[3,3,null]]}]".utf8))
            continuation.finish()
            #expect(try await outcome == TableChanges(version: 2, upserts: 2, deletes: 0))
            #expect(progress.withLock(\.self) == 2)
            #expect(try fixture.fruits().count == 2)
        }
    }

    @Test(arguments: ["delta v1-v2", "delta v0-v2"])
    func `HyperHive 16: cancelling a load that waits for the network changes nothing`(_ version: String) async throws {
        let fixture = try LoaderFixture(MemoryStore())
        try await fixture.load(LoaderFixture.delta("[1,1,null]"), "delta v0-v1")
        let (body, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        let gate = Gate()
        let stored = try fixture.writer.storedVersion(of: fixture.target)
        let load = Task {
            try await fixture.load(body, version, requestedAt: stored, onProgress: { _ in gate.open() })
        }
        continuation.yield(Data("[{\"name\":\"fruits\",\"insert_rows\":[[2,2,null]".utf8))
        try await gate.wait()
        load.cancel()
        let error = await #expect(throws: DeltaError.self) { try await load.value }
        #expect(error?.code == .cancelled)
        #expect(try fixture.fruits() == [[1, 1, .null]])
        #expect(try fixture.version() == 1)
        #expect(try fixture.folder.names == [])
    }

    @Test func `HyperHive 8: a load that fails ends the body, which waits for the network`() async throws {
        let fixture = try LoaderFixture(MemoryStore())
        let ended = Gate()
        // Without a reference here: the body ends when it is cancelled, or released unread.
        func body() -> AsyncThrowingStream<Data, any Error> {
            AsyncThrowingStream { continuation in
                continuation.onTermination = { _ in ended.open() }
                continuation.yield(Data("no JSON".utf8))
            }
        }
        let error = await #expect(throws: DeltaError.self) {
            try await fixture.load(body(), nil, requestedAt: nil)
        }
        #expect(error?.code == .malformed)
        try await ended.wait()
    }

    @Test func `many loads at once do not block the cooperative pool`() async throws {
        let loads = 32
        let gate = Gate()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<loads {
                group.addTask {
                    let fixture = try LoaderFixture(MemoryStore())
                    let (body, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
                    async let outcome = fixture.load(body, "delta v0-v1", requestedAt: nil)
                    continuation.yield(Data("[".utf8))
                    try await gate.wait()
                    continuation.yield(Data("]".utf8))
                    continuation.finish()
                    return try await outcome.version
                }
            }
            // All loads wait for the network here.
            try await gate.waitForWaiters(loads)
            gate.open()
            var versions = 0
            for try await version in group { versions += version }
            #expect(versions == loads)
        }
    }
}
