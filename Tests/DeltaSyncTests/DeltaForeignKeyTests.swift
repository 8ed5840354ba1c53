import Foundation
import LocalStore
import StoreTestSupport
import TestSupport
import Testing

@testable import DeltaSync

/// Deltas of tables that foreign keys of the app's own tables reference.
@Suite(.needsSlot) struct DeltaForeignKeyTests {
    /// Runs a test with sockets 1 and 2, and a plug in socket 1.
    private func run(
        _ kind: StoreSubject, _ clause: String, _ body: (DeltaFixture) throws -> Void
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#, #"+{"id":2,"label":"b"}"#])
            try fixture.store.execute(
                "CREATE TABLE plug (id INTEGER PRIMARY KEY, socket INTEGER REFERENCES socket \(clause))", [])
            try fixture.store.execute("INSERT INTO plug VALUES (7, 1)")
            try body(fixture)
        }
    }

    @Test(arguments: StoreSubject.sqlite) func `changes cascade, or violate a foreign key`(kind: StoreSubject) throws {
        try run(kind, "") { fixture throws in
            let error = try fixture.refuse(DeltaFixture.text("1", "2", ["-[1]"]), .store)
            #expect((error?.underlying as? StoreError)?.code == .constraint)
            #expect(try fixture.rows("*", table: "plug") == [[7, 1]])
        }
        try run(kind, "ON DELETE CASCADE") { fixture throws in
            let log = ChangeLog()
            let subscription = fixture.store.subscribe(log.note)
            try fixture.apply("1", "2", ["-[1]"])
            #expect(log.take().contains { $0.isSuperset(of: ["socket", "plug"]) })
            #expect(try fixture.rows("*", table: "plug") == [])
            subscription.cancel()
        }
    }

    @Test(arguments: StoreSubject.sqlite)
    func `a full load of a referenced table is refused and changes nothing`(kind: StoreSubject) throws {
        try run(kind, "ON DELETE CASCADE") { fixture throws in
            let load = DeltaFixture.text(nil, "9", [#"+{"id":1,"label":"new"}"#])
            let error = try fixture.refuse(load, .store)
            let underlying = error?.underlying as? StoreError
            #expect(underlying?.code == .constraint)
            #expect(underlying?.message.contains("foreign key of table plug references it") == true)
            // The rows of the app were not deleted with the old table.
            #expect(try fixture.rows("*", table: "plug") == [[7, 1]])
            try fixture.store.execute("DROP TABLE plug")
            try fixture.apply(load)
            #expect(try fixture.rows() == [[1, "new"]])
        }
    }
}
