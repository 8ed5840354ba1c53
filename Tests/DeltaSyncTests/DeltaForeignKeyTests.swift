import Foundation
import StoreCore
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
    func `a full load replaces a referenced table, and the foreign key stays`(kind: StoreSubject) throws {
        try run(kind, "ON DELETE CASCADE") { fixture throws in
            for (version, isPaged) in [("9", false), ("10", true)] {
                if isPaged {
                    try fixture.apply(nil, "p1", more: true, [#"+{"id":1,"label":"new"}"#])
                    try fixture.apply("p1", version)
                } else {
                    try fixture.apply(nil, version, [#"+{"id":1,"label":"new"}"#])
                }
                #expect(try fixture.rows() == [[1, "new"]])
                #expect(try fixture.version() == version)
                // The rows of the app were not deleted with the old table.
                #expect(try fixture.rows("*", table: "plug") == [[7, 1]])
            }
            #expect(throws: StoreError.self) { try fixture.store.execute("INSERT INTO plug VALUES (8, 2)") }
            try fixture.store.execute("DELETE FROM socket WHERE id = 1")
            #expect(try fixture.rows("*", table: "plug") == [])
        }
    }

    @Test(arguments: StoreSubject.sqlite)
    func `a full load without a referenced row is refused and changes nothing`(kind: StoreSubject) throws {
        try run(kind, "ON DELETE CASCADE") { fixture throws in
            let error = try fixture.refuse(DeltaFixture.text(nil, "9", [#"+{"id":2}"#]), .store)
            let underlying = error?.underlying as? StoreError
            #expect(underlying?.code == .constraint)
            #expect(underlying?.message.contains("plug") == true)
            #expect(try fixture.rows("*", table: "plug") == [[7, 1]])
        }
    }
}
