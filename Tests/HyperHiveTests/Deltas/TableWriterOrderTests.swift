import DeltaSync
import Foundation
import LocalStore
import PatchbayTestKit
import SQLiteStore
import TestSupport
import Testing

@testable import HyperHive

/// Responses that come late or twice, and what an ended process has left.
@Suite struct TableWriterOrderTests {
    private static let lifetimes: [String?] = ["1 day", nil]

    /// A response with all rows of `fruits`, for a resource with or without versions.
    private static func all(_ id: Int, _ fixture: LoaderFixture) -> String {
        "[{\"name\":\"fruits\",\"data\":[\(row(id, fixture))]}]"
    }

    private static func row(_ id: Int, _ fixture: LoaderFixture) -> String {
        fixture.target.hasVersions ? "[\(id),null,null]" : "[\(id),null]"
    }

    private func ids(_ fixture: LoaderFixture) throws -> [[StoreValue]] {
        try fixture.store.rows("SELECT \(fixture.target.hasVersions ? "hhive_id" : "id") FROM R_fruits ORDER BY 1", [])
    }

    @Test func `HyperHive 6: a delta to the stored version or an older one changes nothing`() async throws {
        try await LoaderFixture.onStores { store in
            let fixture = try LoaderFixture(store)
            try await fixture.load(LoaderFixture.delta("[1,1,null]"), "delta v0-v5", etag: "\"e\"")
            for version in ["delta v3-v5", "delta v3-v4", "delta v4-v4"] {
                let outcome = try await fixture.load(LoaderFixture.delta("[2,2,null]", "1"), version, etag: "\"f\"")
                #expect(outcome == TableChanges(version: 5))
            }
            #expect(try fixture.fruits() == [[1, 1, .null]])
            #expect(try fixture.stored() == .init(version: 5, etag: "\"e\""))
            // It may lack the deletion of a row that was inserted in version 4.
            try await fixture.refuse(LoaderFixture.delta("[2,2,null]", "1"), "delta v3-v6", .gap)
        }
    }

    @Test func `HyperHive 6: a delta that another process has loaded since its request changes nothing`()
        async throws
    {
        try await LoaderFixture.onStores { store in
            let (first, second) = (try LoaderFixture(store), try LoaderFixture(store))
            try await first.load(LoaderFixture.delta("[1,1,null]"), "delta v0-v3")
            let requested = try first.writer.storedVersion(of: first.target)
            try await second.load(LoaderFixture.delta("[2,2,null]"), "delta v3-v5")
            let outcome = try await first.load(
                LoaderFixture.delta("[3,3,null]"), "delta v3-v4", requestedAt: requested)
            #expect(outcome == TableChanges(version: 5))
            #expect(try first.fruits() == [[1, 1, .null], [2, 2, .null]])
            // The other process has loaded all rows: their versions may start again.
            try await second.load(LoaderFixture.delta("[4,4,null]"), "delta v0-v3")
            let error = await #expect(throws: DeltaError.self) {
                try await first.load(LoaderFixture.delta("[3,3,null]"), "delta v3-v4", requestedAt: requested)
            }
            #expect(error?.code == .gap)
            #expect(try first.fruits() == [[4, 4, .null]])
        }
    }

    @Test(arguments: lifetimes)
    func `HyperHive 9: a full response does not replace rows that another process has loaded since its request`(
        _ lifetime: String?
    ) async throws {
        try await LoaderFixture.onStores { store in
            let first = try LoaderFixture(store, lifetime: lifetime)
            let second = try LoaderFixture(store, lifetime: lifetime)
            var requested = try first.writer.storedVersion(of: first.target)
            for id in [2, 4] {
                try await second.load(Self.all(id, second), "6", etag: "\"e\"")
                let error = await #expect(throws: DeltaError.self) {
                    try await first.load(Self.all(1, first), "5", requestedAt: requested)
                }
                #expect(error?.code == .busy)
                #expect(try ids(first) == [[.integer(Int64(id))]])
                #expect(try first.stored().etag == "\"e\"")
                #expect(try first.shadows() == [])
                requested = try first.writer.storedVersion(of: first.target)
            }
            // An older version from a request of now is that of a server that started again.
            try await first.load(Self.all(1, first), "5")
            #expect(try ids(first) == [[1]])
        }
    }

    @Test(arguments: lifetimes)
    func `HyperHive 9: the rows of two loads at once never mix`(_ lifetime: String?) async throws {
        try await LoaderFixture.onStores { store in
            let first = try LoaderFixture(store, lifetime: lifetime)
            let second = try LoaderFixture(store, lifetime: lifetime)
            let (body, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
            let gate = Gate()
            let load = Task {
                try await first.load(body, "1", requestedAt: nil) { progress in
                    if progress.rows > 0 { gate.open() }
                }
            }
            continuation.yield(
                Data("[{\"name\":\"fruits\",\"data\":[\(Self.row(1, first)),\(Self.row(2, first))]}".utf8))
            try await gate.wait()
            try await second.load(Self.all(3, second), "1")
            continuation.yield(Data(",{\"name\":\"fruits\",\"data\":[\(Self.row(4, first))]}]".utf8))
            continuation.finish()
            let error = await #expect(throws: DeltaError.self) { try await load.value }
            #expect(error?.code == .busy)
            #expect(try ids(first) == [[3]])
            #expect(try first.shadows() == [])
        }
    }

    @Test(arguments: lifetimes)
    func `HyperHive 9: a shadow table that a crash has left is dropped by the next load, and with its table`(
        _ lifetime: String?
    ) async throws {
        try await LoaderFixture.onStores { store in
            let fixture = try LoaderFixture(store, lifetime: lifetime)
            try await fixture.load(Self.all(1, fixture), "1")
            try store.execute("CREATE TABLE patchbay_shadow_R_fruits (x)", [])
            try await fixture.load(Self.all(2, fixture), "1")
            #expect(try ids(fixture) == [[2]])
            #expect(try fixture.shadows() == [])
            try store.execute("CREATE TABLE patchbay_shadow_R_fruits (x)", [])
            try fixture.writer.drop(fixture.target.names)
            #expect(try fixture.shadows() == [])
            #expect(try store.rows("SELECT name FROM patchbay_delta WHERE name LIKE '%fruits'", []) == [])
        }
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable), arguments: lifetimes)
    func `HyperHive 9: foreign keys of the app's tables refer to the loaded rows`(_ lifetime: String?) async throws {
        let store = try SQLiteStore(.memory)
        let fixture = try LoaderFixture(store, lifetime: lifetime)
        let key = fixture.target.hasVersions ? "hhive_id" : "id"
        try await fixture.load(Self.all(1, fixture), "1")
        // A foreign key needs a unique column.
        if !fixture.target.hasVersions { try store.execute("CREATE UNIQUE INDEX byID ON R_fruits (id)", []) }
        try store.execute("CREATE TABLE basket (fruit BIGINT REFERENCES R_fruits (\(key)) ON DELETE CASCADE)", [])
        try store.execute("INSERT INTO basket VALUES (1)", [])
        let text = "[{\"name\":\"fruits\",\"data\":[\(Self.row(1, fixture)),\(Self.row(2, fixture))]}]"
        for _ in 0..<2 { try await fixture.load(text, "2") }
        #expect(try ids(fixture) == [[1], [2]])
        #expect(try store.rows("SELECT fruit FROM basket", []) == [[1]])
        #expect(throws: StoreError.self) { try store.execute("INSERT INTO basket VALUES (3)", []) }
        // Rows of the app would refer to nothing.
        let error = await #expect(throws: DeltaError.self) { try await fixture.load(Self.all(2, fixture), "3") }
        #expect((error?.underlying as? StoreError)?.code == .constraint)
        #expect(try ids(fixture) == [[1], [2]])
        #expect(try store.rows("SELECT fruit FROM basket", []) == [[1]])
    }

    @Test func `HyperHive 6: a version that is not readable causes a full load`() async throws {
        let fixture = try LoaderFixture(MemoryStore())
        try await fixture.load(LoaderFixture.delta("[1,1,null]"), "delta v0-v1")
        try fixture.store.execute("UPDATE patchbay_delta SET version = 'later form' WHERE name LIKE 'r_%'", [])
        #expect(try fixture.stored() == .init(version: 0, etag: nil))
        try await fixture.load(LoaderFixture.delta("[2,2,null]"), "delta v0-v2")
        #expect(try fixture.version() == 2)
    }

    @Test func `tables that a call uses are not dropped`() async throws {
        let fixture = try LoaderFixture(MemoryStore())
        try await fixture.load(LoaderFixture.delta("[1,1,null]"), "delta v0-v1")
        try await fixture.writer.withTables(fixture.target.tableNames) {
            let error = #expect(throws: DeltaError.self) { try fixture.writer.drop(fixture.target.names) }
            #expect(error?.code == .busy)
        }
        #expect(try fixture.version() == 1)
        #expect(try fixture.writer.drop(fixture.target.names).count == 2)
    }
}
