import Foundation
import LocalStore
import SQLiteStore

extension Harness {
    /// Compares `MemoryStore` with SQLite in memory, through the same protocol.
    func memoryStore() async throws -> [Figure] {
        guard SQLiteLibrary.system.isAvailable else { return [] }
        let rows = count(500_000)
        let batches = try Self.batches(rows)
        var figures = [
            try await compareStores("MemoryStore: load \(rows) rows of 8 columns", operations: rows) { store in
                let store = try store()
                try store.createTable(Self.table)
                for batch in batches { try store.upsert(batch, into: "item") }
            }
        ]
        let stores = (MemoryStore(), try SQLiteStore(.memory))
        for store in [stores.0, stores.1] as [any LocalStore] {
            try store.createTable(Self.table)
            for batch in batches { try store.upsert(batch, into: "item") }
            try store.createTable(
                TableSchema("code", columns: [.init("code", "TEXT"), .init("label", "TEXT")], primaryKey: ["code"]))
            try store.upsert(try Self.codes(rows), into: "code")
        }
        let lookups = count(200_000)
        figures.append(
            try await compareNow(
                "MemoryStore: row by key", operations: lookups,
                subject: { try Self.findByNumber(lookups, of: rows, in: stores.0) },
                baseline: { try Self.findByNumber(lookups, of: rows, in: stores.1) }))
        figures.append(
            try await compareNow(
                "MemoryStore: row by text key", operations: lookups,
                subject: { try Self.findByText(lookups, of: rows, in: stores.0) },
                baseline: { try Self.findByText(lookups, of: rows, in: stores.1) }))
        let scans: [(String, String)] = [
            ("count, integer and real", "SELECT count(*) FROM item WHERE stock < 50 AND price > 500.0"),
            ("count, text", "SELECT count(*) FROM item WHERE region = 'north'"),
            ("rows, LIKE", "SELECT id, name FROM item WHERE name LIKE '%99%'"),
            ("rows, integer", "SELECT id, name, price FROM item WHERE stock < 50"),
            ("rows, text", "SELECT id, name, price FROM item WHERE region = 'north'"),
            ("all rows", "SELECT * FROM item"),
            ("sum", "SELECT sum(stock), max(price) FROM item WHERE stock >= 10"),
            ("first ten in order", "SELECT id, price FROM item ORDER BY price DESC LIMIT 10"),
        ]
        for (name, sql) in scans {
            let repeats = 5
            figures.append(
                try await compareStores("MemoryStore: scan, \(name)", stores, operations: rows * repeats) { store in
                    for _ in 0..<repeats { try store.query(sql, []) { row in row.isReadWhole } }
                })
        }
        return figures + (try await grouping())
    }

    /// GROUP BY over 1 M rows with an integer and with a text as the key.
    private func grouping() async throws -> [Figure] {
        let rows = count(1_000_000)
        let stores = (MemoryStore(), try SQLiteStore(.memory))
        for store in [stores.0, stores.1] as [any LocalStore] {
            try store.createTable(
                TableSchema("t", columns: [.init("k", "INTEGER"), .init("name", "TEXT"), .init("v", "INTEGER")]))
            for first in stride(from: 0, to: rows, by: 5000) {
                try store.insert(try Self.groupingBatch(first..<min(first + 5000, rows)), into: "t")
            }
        }
        var figures: [Figure] = []
        for (name, key) in [("integer", "k"), ("text", "name")] {
            figures.append(
                try await compareStores("MemoryStore: GROUP BY, \(name) key", stores, operations: rows) { store in
                    try store.query("SELECT \(key), count(*), sum(v) FROM t GROUP BY \(key)", []) { row in
                        row.isReadWhole
                    }
                })
        }
        figures.append(
            try await compareStores("MemoryStore: DISTINCT, integer and text", stores, operations: rows) { store in
                try store.query("SELECT DISTINCT k, name FROM t", []) { row in row.isReadWhole }
            })
        return figures
    }

    private static func groupingBatch(_ rows: Range<Int>) throws -> RowBatch {
        var batch = try RowBatch(columns: ["k", "name", "v"])
        for row in rows {
            batch.beginRow()
            try batch.set(integer: Int64(row &* 104_729 % 1000), at: 0)
            try batch.set(text: "group \(row &* 7919 % 1000)", at: 1)
            try batch.set(integer: Int64(row % 977), at: 2)
        }
        return batch
    }

    // Generic: an app knows the type of its store, too.

    private static func findByNumber(_ lookups: Int, of rows: Int, in store: some LocalStore) throws {
        var seed: UInt64 = 1
        for _ in 0..<lookups {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let id = Int64(seed >> 33) % Int64(rows)
            try store.query("SELECT name, price FROM item WHERE id = ?", [.integer(id)]) { row in
                row.double(at: 1) != nil
            }
        }
    }

    private static func findByText(_ lookups: Int, of rows: Int, in store: some LocalStore) throws {
        var seed: UInt64 = 1
        for _ in 0..<lookups {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let code = "C-\(Int(seed >> 33) % rows)"
            try store.query("SELECT label FROM code WHERE code = ?", [.text(code)]) { row in
                row.withBytes(at: 0) { $0.count } != nil
            }
        }
    }

    private func compareStores(
        _ name: String, _ stores: (MemoryStore, SQLiteStore), operations: Int, _ body: (any LocalStore) throws -> Void
    ) async throws -> Figure {
        try await compareNow(
            name, operations: operations, subject: { try body(stores.0) }, baseline: { try body(stores.1) })
    }

    private func compareStores(
        _ name: String, operations: Int, _ body: (() throws -> any LocalStore) throws -> Void
    ) async throws -> Figure {
        try await compareNow(
            name, operations: operations, subject: { try body { MemoryStore() } },
            baseline: { try body { try SQLiteStore(.memory) } })
    }

    private func compareNow(
        _ name: String, operations: Int, subject: () throws -> Void, baseline: () throws -> Void
    ) async throws -> Figure {
        try await compare(
            name, operations: operations, against: "SQLiteStore(.memory), same calls", subject: subject,
            baseline: baseline)
    }

    private static var table: TableSchema {
        get throws {
            try TableSchema(
                "item",
                columns: [
                    .init("id", "INTEGER"), .init("name", "TEXT"), .init("region", "TEXT"), .init("price", "REAL"),
                    .init("stock", "INTEGER"), .init("weight", "REAL"), .init("note", "TEXT"), .init("flag", "INTEGER"),
                ],
                primaryKey: ["id"])
        }
    }

    private static func codes(_ rows: Int) throws -> RowBatch {
        var batch = try RowBatch(columns: ["code", "label"])
        for row in 0..<rows {
            batch.beginRow()
            try batch.set(text: "C-\(row)", at: 0)
            try batch.set(text: "label of \(row)", at: 1)
        }
        return batch
    }

    private static func batches(_ rows: Int) throws -> [RowBatch] {
        let regions = ["north", "east", "south", "west", "northeast"]
        var batches: [RowBatch] = []
        for first in stride(from: 0, to: rows, by: 5000) {
            var batch = try RowBatch(columns: ["id", "name", "region", "price", "stock", "weight", "note", "flag"])
            for id in first..<min(first + 5000, rows) {
                batch.beginRow()
                try batch.set(integer: Int64(id), at: 0)
                try batch.set(text: "item number \(id)", at: 1)
                try batch.set(text: regions[id % 5], at: 2)
                try batch.set(real: Double(id &* 7919 % 100_000) / 100, at: 3)
                try batch.set(integer: Int64(id &* 104_729 % 500), at: 4)
                try batch.set(real: Double(id % 977) * 0.5, at: 5)
                if id % 3 > 0 { try batch.set(text: "a note of some words", at: 6) }
                try batch.set(integer: Int64(id & 1), at: 7)
            }
            batches.append(batch)
        }
        return batches
    }
}

extension StoreRow {
    /// Reads each cell by its storage class. True for a row with cells.
    fileprivate var isReadWhole: Bool {
        var digest = 0
        for column in 0..<columnCount {
            switch kind(at: column) {
            case .null: digest &+= 1
            case .integer: digest &+= Int(truncatingIfNeeded: int64(at: column) ?? 0)
            case .real: digest &+= double(at: column) ?? 0 > 0 ? 1 : 2
            case .text, .blob: digest &+= withBytes(at: column) { $0.count &+ Int($0.first ?? 0) } ?? 0
            }
        }
        return withExtendedLifetime(digest) { columnCount > 0 }
    }
}
