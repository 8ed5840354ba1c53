import SQLiteStore
import StoreCore
import StoreTestSupport
import TestSupport
import Testing

/// Migrations of SQLite files: foreign keys, locks and read-only files.
@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteMigrationTests {
    /// A table whose rows are deleted with those of another one.
    private var migrator: StoreMigrator {
        var migrator = StoreMigrator()
        migrator.add("create") { store in
            try store.executeScript(
                """
                CREATE TABLE jack (id INTEGER PRIMARY KEY, label TEXT);
                CREATE TABLE cable (id INTEGER PRIMARY KEY, jack INTEGER REFERENCES jack (id) ON DELETE CASCADE);
                INSERT INTO jack VALUES (1, 'a'), (2, 'b');
                INSERT INTO cable VALUES (10, 1), (20, 2);
                """)
        }
        return migrator
    }

    private var rebuilding: StoreMigrator {
        var migrator = migrator
        migrator.add("rebuild jack") { store in
            try store.executeScript(
                """
                CREATE TABLE new_jack (id INTEGER PRIMARY KEY, label TEXT NOT NULL);
                INSERT INTO new_jack SELECT id, label FROM jack;
                DROP TABLE jack;
                ALTER TABLE new_jack RENAME TO jack;
                """)
        }
        return migrator
    }

    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    private func expectEnforcement(by store: SQLiteStore) throws {
        #expect(error { try store.execute("INSERT INTO cable VALUES (30, 9)") }?.code == .constraint)
    }

    @Test(arguments: [false, true]) func `a step can rebuild a table that others refer to`(isFile: Bool) throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(isFile ? .file(folder.path("store.sqlite")) : .memory)
        #expect(try rebuilding.migrate(store) == ["create", "rebuild jack"])
        #expect(try store.rows("SELECT * FROM cable ORDER BY id") == [[10, 1], [20, 2]])
        #expect(try store.rows("SELECT * FROM jack ORDER BY id") == [[1, "a"], [2, "b"]])
        try expectEnforcement(by: store)
        try store.execute("DELETE FROM jack WHERE id = 1")
        #expect(try store.rows("SELECT id FROM cable") == [[20]])
        try store.close()
    }

    @Test func `a step that leaves rows without their parents is rolled back`() throws {
        let store = try SQLiteStore(.memory)
        var migrator = migrator
        migrator.add("forget jacks") { try $0.execute("DELETE FROM jack") }
        let failure = try #require(error { try migrator.migrate(store) })
        #expect(failure.code == .constraint)
        for part in ["\"forget jacks\"", "cable", "jack"] { #expect(failure.message.contains(part), "\(failure)") }
        #expect(try migrator.appliedSteps(in: store) == ["create"])
        #expect(try store.rows("SELECT count(*) FROM jack") == [[2]])
        try expectEnforcement(by: store)
    }

    @Test func `a throwing step leaves foreign keys enforced`() throws {
        let store = try SQLiteStore(.memory)
        var migrator = migrator
        migrator.add("throws") { _ in throw Interruption() }
        #expect(throws: Interruption.self) { try migrator.migrate(store) }
        try expectEnforcement(by: store)
    }

    @Test func `foreign keys that are not enforced are not checked`() throws {
        var configuration = SQLiteStore.Configuration()
        configuration.enforcesForeignKeys = false
        let store = try SQLiteStore(.memory, configuration: configuration)
        var migrator = migrator
        migrator.add("forget jacks") { try $0.execute("DELETE FROM jack") }
        try migrator.migrate(store)
        #expect(try store.rows("SELECT id FROM cable ORDER BY id") == [[10], [20]])
        try store.execute("INSERT INTO cable VALUES (30, 9)")
    }

    @Test func `in an outer transaction each statement is checked`() throws {
        let store = try SQLiteStore(.memory)
        try store.transaction {
            try migrator.migrate(store)
            var orphaning = migrator
            orphaning.add("orphan") { try $0.execute("INSERT INTO cable VALUES (30, 9)") }
            #expect(error { try orphaning.migrate(store) }?.code == .constraint)
        }
        #expect(try store.rows("SELECT id FROM cable ORDER BY id") == [[10], [20]])
    }

    @Test func `a store that is up to date is not locked`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        let writer = try SQLiteStore(.file(path))
        try migrator.migrate(writer)
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .zero
        let store = try SQLiteStore(.file(path), configuration: configuration)
        try writer.transaction {
            try writer.execute("DELETE FROM cable")
            #expect(try migrator.migrate(store) == [])
            #expect(try migrator.isUpToDate(store))
            #expect(error { try rebuilding.migrate(store) }?.code == .busy)
        }
        #expect(try rebuilding.migrate(store) == ["rebuild jack"])
        try store.close()
        try writer.close()
    }

    @Test func `a read-only store can be checked but not migrated`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        let writer = try SQLiteStore(.file(path))
        try migrator.migrate(writer)
        try writer.close()
        var configuration = SQLiteStore.Configuration()
        configuration.access = .immutable
        let store = try SQLiteStore(.file(path), configuration: configuration)
        #expect(try migrator.isUpToDate(store))
        #expect(try migrator.migrate(store) == [])
        #expect(try !rebuilding.isUpToDate(store))
        #expect(error { try rebuilding.migrate(store) }?.code == .readOnly)
        try store.close()
    }
}
