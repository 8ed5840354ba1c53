import Foundation
import LocalStore
import StoreTestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Sources that write to the store while their delta is applied.
@Suite struct DeltaSourceWriteTests {
    /// One of them is outside the package: it uses the public API alone.
    private static let stores = StoreSubject.all + [.locked]

    private static let writes: [@Sendable (any LocalStore) throws -> Void] = [
        { try $0.execute("INSERT INTO socket (id) VALUES (9)") }, { try $0.execute("UPDATE socket SET label = 'x'") },
        { try $0.execute("DELETE FROM SOCKET") }, { try $0.execute("DROP TABLE socket") },
        { try $0.execute("ALTER TABLE socket ADD COLUMN z") },
        { try $0.query("DELETE FROM socket") { _ in true } },
        { store in try store.transaction { _ = try store.execute("DELETE FROM socket") } },
        { try $0.upsert(try RowBatch(["id"], [[9]]), into: "socket") },
        { try $0.delete(try RowBatch(["id"], [[1]]), from: "socket") },
        { try $0.swapTable("socket", for: "other") },
    ]

    private func apply(
        _ text: String, to fixture: DeltaFixture, _ write: @escaping (any LocalStore) throws -> Void
    ) -> DeltaError? {
        let store = fixture.store
        var source = InterruptedSource(DeltaFixture.source(Data(text.utf8), chunkSize: 65536)) { batch in
            if batch == 1 { try write(store) }
        }
        do throws(DeltaError) {
            try fixture.applier.apply(&source, to: fixture.target)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: stores) func `writes to the delta's own tables are rejected`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.store.execute("CREATE TABLE other (id INTEGER PRIMARY KEY, label TEXT)")
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            let state = try fixture.state()
            // A change in one transaction, and a full load into a shadow table.
            for from in ["1", nil] as [String?] {
                for (number, write) in Self.writes.enumerated() {
                    let text = DeltaFixture.text(from, "2", [#"+{"id":2,"label":"b"}"#, "-[1]"])
                    let error = apply(text, to: fixture, write)
                    #expect(error?.code == .source, "\(number)")
                    #expect(
                        (error?.underlying as? StoreError)?.code == .misuse, "\(number): \(String(describing: error))")
                    #expect(try fixture.state() == state, "\(number)")
                }
            }
        }
    }

    @Test(arguments: stores) func `writes to other tables and stores are allowed`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.store.execute("CREATE TABLE other (id INTEGER PRIMARY KEY)")
            let elsewhere = MemoryStore()
            try elsewhere.execute("CREATE TABLE socket (id)")
            try fixture.apply(nil, "1", [#"+{"id":1}"#])
            let text = DeltaFixture.text("1", "2", [#"+{"id":2,"label":"b"}"#, "-[1]"])
            let error = apply(text, to: fixture) { store in
                try store.execute("INSERT INTO other VALUES (1)")
                try elsewhere.execute("INSERT INTO socket VALUES (1)")
                _ = try store.rows("SELECT * FROM socket")
            }
            #expect(error == nil)
            #expect(try fixture.rows() == [[2, "b"]])
            #expect(try fixture.rows("id", table: "other") == [[1]])
            // After the delta, all tables are writable.
            try fixture.store.execute("DELETE FROM socket")
        }
    }
}
