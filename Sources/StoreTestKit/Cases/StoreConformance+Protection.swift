import PatchbayTestKit
import StoreCore

extension StoreConformance {
    /// Every kind of write to the table `jack`, and one that involves it.
    private static let writes: [@Sendable (any LocalStore) throws -> Void] = [
        { try $0.execute("INSERT INTO jack (id) VALUES (2)") }, { try $0.execute("UPDATE jack SET label = 'x'") },
        { try $0.execute("DELETE FROM JACK") }, { try $0.execute("ALTER TABLE jack ADD COLUMN z") },
        { try $0.execute("DROP TABLE jack") }, { try $0.query("DELETE FROM jack") { _ in true } },
        { store in try store.transaction { _ = try store.execute("DELETE FROM jack") } },
        { try $0.upsert(try RowBatch(["id"], [[2]]), into: "jack") },
        { try $0.delete(try RowBatch(["id"], [[1]]), from: "jack") }, { try $0.swapTable("jack", for: "other") },
        { try $0.swapTable("other", for: "jack") },
    ]

    private static func expectProtection(of store: any LocalStore) throws {
        try store.protectedTables.protecting(["Jack"]) {
            for (number, write) in writes.enumerated() {
                try expectError(.misuse, "write \(number) to a protected table") { try write(store) }
                try expect(store.rows("SELECT * FROM jack"), is: [[1, "a", nil, nil, nil]])
            }
            try store.execute("INSERT INTO other (id) VALUES (1)")
        }
    }

    /// Write protection of tables.
    static let protection: [StoreConformanceCase] = [
        StoreConformanceCase("writes to protected tables throw misuse") { store, _ in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'a')")
            try store.execute("CREATE TABLE other (id)")
            try expectProtection(of: store)
            try store.transaction { try expectProtection(of: store) }
            try expect(store.rows("SELECT id FROM other"), is: [[1], [1]])
            // Afterwards, all tables are writable.
            try expect(store.execute("DELETE FROM jack"), is: 1)
        },
        StoreConformanceCase("protection covers one store and one thread") { store, subject in
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try subject.run { another in
                try another.protectedTables.protecting(["jack"]) {
                    try store.execute("INSERT INTO jack (id) VALUES (2)")
                    let isWritten = onThread { try another.execute("INSERT INTO jack (id) VALUES (3)") }
                    try isWritten()
                }
                try expect(another.jackIDs(), is: [3])
            }
            try expect(store.jackIDs(), is: [1, 2])
        },
    ]
}
