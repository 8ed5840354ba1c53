import PatchbayTestKit
import StoreCore
import Synchronization

extension StoreConformance {
    private static var migrator: StoreMigrator {
        var migrator = StoreMigrator()
        migrator.add("create cable") { store in
            try store.execute("CREATE TABLE cable (id INTEGER PRIMARY KEY, jack INTEGER)")
            try store.execute("INSERT INTO cable VALUES (1, 7)")
        }
        migrator.add("add cable.length") { try $0.execute("ALTER TABLE cable ADD COLUMN length REAL") }
        return migrator
    }

    /// Migrations.
    static let migrations: [StoreConformanceCase] = [
        StoreConformanceCase("migration steps run once") { store, _ in
            var migrator = migrator
            try expect(migrator.isUpToDate(store), is: false)
            try expect(migrator.migrate(store, upTo: "create cable"), is: ["create cable"])
            try expect(migrator.migrate(store), is: ["add cable.length"])
            try expect(migrator.migrate(store), is: [])
            try expect(migrator.isUpToDate(store), is: true)
            migrator.add("fill cable.length") { try $0.execute("UPDATE cable SET length = 2") }
            try expect(migrator.migrate(store), is: ["fill cable.length"])
            try expect(migrator.appliedSteps(in: store), is: migrator.stepNames)
            try expect(store.rows("SELECT * FROM cable"), is: [[1, 7, 2.0]])
            try expect(store.tableNames(), is: ["cable", "jack"])
        },
        StoreConformanceCase("failing migration step is rolled back") { store, _ in
            var migrator = migrator
            migrator.add("fails") { store in
                try store.execute("DELETE FROM cable")
                try store.execute("CREATE TABLE other (a)")
                try store.execute("INSERT INTO nowhere VALUES (1)")
            }
            let error = try expectError(.noSuchTable) { try migrator.migrate(store) }
            try expect(error.message.contains("\"fails\""), "the error does not name the step: \(error.message)")
            try expect(migrator.appliedSteps(in: store), is: ["create cable", "add cable.length"])
            try expect(store.rows("SELECT id FROM cable"), is: [[1]])
            try expect(store.tableNames(), is: ["cable", "jack"])
        },
        StoreConformanceCase("changed migration steps are refused") { store, _ in
            try migrator.migrate(store)
            for names in [["create cable"], ["add cable.length", "create cable"], ["create cable", "other"]] {
                var other = StoreMigrator()
                for name in names { other.add(name) { try $0.execute("DROP TABLE cable") } }
                try expectError(.migration) { try other.migrate(store) }
            }
            try expect(store.rows("SELECT id FROM cable"), is: [[1]])
        },
        StoreConformanceCase("threads that migrate at once run each step once") { store, _ in
            let runs = Mutex<[Int]>([])
            var steps = StoreMigrator()
            for number in 0..<10 {
                steps.add("step \(number)") { store in
                    runs.withLock { $0.append(number) }
                    try store.execute("INSERT INTO jack (id) VALUES (?)", [.integer(Int64(number))])
                }
            }
            let migrator = steps
            let threads = (0..<3).map { _ in onThread { try migrator.migrate(store) } }
            for hasMigrated in threads { try hasMigrated() }
            try expect(runs.withLock { $0 }, is: Array(0..<10))
            try expect(store.jackIDs().count, is: 10)
        },
    ]
}
