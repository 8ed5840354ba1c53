import Foundation
import Testing

@testable import LocalStore

/// A source that writes to the store while its delta is applied.
@Suite struct DeltaSourceWriteTests {
    private static let writes: [@Sendable (any LocalStore) throws -> Void] = [
        { try $0.execute("INSERT INTO socket (id) VALUES (9)") }, { try $0.execute("UPDATE socket SET label = 'x'") },
        { try $0.execute("DELETE FROM SOCKET") }, { try $0.execute("DROP TABLE socket") },
        { try $0.execute("ALTER TABLE socket ADD COLUMN z") },
        { try $0.query("DELETE FROM socket") { _ in true } },
        { store in try store.transaction { _ = try store.execute("DELETE FROM socket") } },
        { try $0.upsert(try RowBatch(["id"], [[9]]), into: "socket") },
        { try $0.delete(try RowBatch(["id"], [[1]]), from: "socket") },
        { try $0.replace("socket", with: "other") },
    ]

    private func apply(
        _ text: String, to world: DeltaWorld, _ write: @escaping (any LocalStore) throws -> Void
    ) -> DeltaError? {
        let store = world.store
        var source = InterruptedSource(DeltaWorld.source(Data(text.utf8), pieces: 65536)) { batch in
            if batch == 1 { try write(store) }
        }
        do throws(DeltaError) {
            try world.applier.apply(&source, to: world.target)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: StoreUnderTest.all) func `its own tables are refused`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.store.execute("CREATE TABLE other (id INTEGER PRIMARY KEY, label TEXT)")
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            let state = try world.state()
            // A change of one transaction, and a load beside the table.
            for from in ["1", nil] as [String?] {
                for (number, write) in Self.writes.enumerated() {
                    let text = DeltaWorld.text(from, "2", [#"+{"id":2,"label":"b"}"#, "-[1]"])
                    let error = apply(text, to: world, write)
                    #expect(error?.code == .source, "\(number)")
                    #expect(
                        (error?.underlying as? StoreError)?.code == .misuse, "\(number): \(String(describing: error))")
                    #expect(try world.state() == state, "\(number)")
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all) func `other tables and stores are not`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.store.execute("CREATE TABLE other (id INTEGER PRIMARY KEY)")
            let elsewhere = MemoryStore()
            try elsewhere.execute("CREATE TABLE socket (id)")
            try world.apply(nil, "1", [#"+{"id":1}"#])
            let text = DeltaWorld.text("1", "2", [#"+{"id":2,"label":"b"}"#, "-[1]"])
            let error = apply(text, to: world) { store in
                try store.execute("INSERT INTO other VALUES (1)")
                try elsewhere.execute("INSERT INTO socket VALUES (1)")
                _ = try store.rows("SELECT * FROM socket")
            }
            #expect(error == nil)
            #expect(try world.rows() == [[2, "b"]])
            #expect(try world.rows("id", table: "other") == [[1]])
            // Behind the delta, everything may be written.
            try world.store.execute("DELETE FROM socket")
        }
    }
}
