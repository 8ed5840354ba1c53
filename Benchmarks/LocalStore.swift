import Foundation
import SQLiteStore
import StoreCore
import SystemLibraries

extension Harness {
    /// Compares `SQLiteStore` with plain calls of SQLite.
    func store() async throws -> [Figure] {
        guard SQLiteLibrary.system.isAvailable else { return [] }
        let rows = StoredRows(count: count(200_000), width: 5)
        return [try await insertion(rows)] + (try await pointQueries(rows)) + [
            try await scan(rows), try await json(rows),
            try await fileLoad(StoredRows(count: count(500_000), width: 8)),
        ]
    }

    private func filled(_ rows: StoredRows) throws -> SQLiteStore {
        let store = try SQLiteStore(.memory)
        try store.createTable(rows.schema())
        try rows.batches(of: 4096) { try store.upsert($0, into: "jack") }
        return store
    }

    private func filledPlain(_ rows: StoredRows) throws -> PlainSQLite {
        let plain = try PlainSQLite(":memory:")
        try plain.run(rows.schema().createStatement())
        try plain.insert(rows, rows.upsert)
        return plain
    }

    private func insertion(_ rows: StoredRows) async throws -> Figure {
        let batches = try rows.batches(of: 4096)
        return try await compare(
            "SQLite in memory, rows upserted in batches", operations: rows.count, against: "C calls",
            subject: {
                let store = try SQLiteStore(.memory)
                try store.createTable(rows.schema())
                try store.transaction { for batch in batches { try store.upsert(batch, into: "jack") } }
                try store.close()
            }, baseline: { try filledPlain(rows).close() })
    }

    private func pointQueries(_ rows: StoredRows) async throws -> [Figure] {
        let store = try filled(rows)
        let plain = try filledPlain(rows)
        defer { plain.close() }
        let kinds = Array(rows.kinds.dropFirst())
        let sql = "SELECT c1, c2, c3, c4 FROM jack WHERE id = ?"
        let statement = try plain.prepare(sql)
        defer { _ = plain.functions.finalize(statement) }
        func baseline() {
            var sum = 0
            for index in 0..<rows.count {
                let id = Int64(index &* 7919 % rows.count)
                _ = plain.functions.bindInteger(statement, 1, id)
                while plain.functions.step(statement) == PlainSQLite.row { sum &+= plain.digest(statement, kinds) }
                _ = plain.functions.reset(statement)
            }
            blackHole(sum)
        }
        return [
            try await compare(
                "SQLite in memory, rows queried by key", operations: rows.count, against: "C calls, prepared once",
                subject: {
                    var sum = 0
                    for index in 0..<rows.count {
                        let id = Int64(index &* 7919 % rows.count)
                        try store.query(sql, [.integer(id)]) { row in
                            sum &+= row.digest(kinds)
                            return true
                        }
                    }
                    blackHole(sum)
                }, baseline: baseline),
            try await compare(
                "SQLite in memory, rows queried by key, prepared", operations: rows.count,
                against: "C calls, prepared once",
                subject: {
                    let sum = try store.read { reader in
                        try reader.prepare(SQL(verbatim: sql)) { query in
                            var sum = 0
                            for index in 0..<rows.count {
                                let id = Int64(index &* 7919 % rows.count)
                                try query.query([.integer(id)]) { row in
                                    sum &+= row.digest(kinds)
                                    return true
                                }
                            }
                            return sum
                        }
                    }
                    blackHole(sum)
                }, baseline: baseline),
        ]
    }

    private func scan(_ rows: StoredRows) async throws -> Figure {
        let store = try filled(rows)
        let plain = try filledPlain(rows)
        defer { plain.close() }
        let kinds = rows.kinds
        return try await compare(
            "SQLite in memory, rows scanned", operations: rows.count, against: "C calls",
            subject: {
                var sum = 0
                try store.query("SELECT * FROM jack") { row in
                    sum &+= row.digest(kinds)
                    return true
                }
                blackHole(sum)
            }, baseline: { try blackHole(scanned(plain, rows.kinds)) })
    }

    private func json(_ rows: StoredRows) async throws -> Figure {
        let store = try filled(rows)
        let plain = try filledPlain(rows)
        defer { plain.close() }
        return try await compare(
            "SQLite in memory, rows as JSON", operations: rows.count, against: "C calls, only read",
            subject: { blackHole(try store.queryJSON("SELECT * FROM jack").count) },
            baseline: { try blackHole(scanned(plain, rows.kinds)) })
    }

    private func scanned(_ plain: PlainSQLite, _ kinds: [StoredRows.Kind]) throws -> Int {
        var sum = 0
        let statement = try plain.prepare("SELECT * FROM jack")
        while plain.functions.step(statement) == PlainSQLite.row { sum &+= plain.digest(statement, kinds) }
        _ = plain.functions.finalize(statement)
        return sum
    }

    private func fileLoad(_ rows: StoredRows) async throws -> Figure {
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        let path = folder.path("store.sqlite")
        func emptied() {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
        return try await compare(
            "SQLite in a file, rows of 8 columns loaded", operations: rows.count, against: "C calls",
            subject: {
                emptied()
                let store = try SQLiteStore(.file(path))
                try store.createTable(rows.schema())
                try store.transaction { try rows.batches(of: 4096) { try store.upsert($0, into: "jack") } }
                try store.close()
            },
            baseline: {
                emptied()
                let plain = try PlainSQLite(path)
                try plain.run(rows.schema().createStatement())
                try plain.insert(rows, rows.upsert)
                plain.close()
            })
    }
}

extension StoreRow {
    /// A digest of all cells, each read by the type of its column.
    fileprivate func digest(_ kinds: [StoredRows.Kind]) -> Int {
        var digest = 0
        var column = 0
        for kind in kinds {
            switch kind {
            case .integer: digest &+= Int(int64(at: column) ?? 0)
            case .real: digest &+= Int(double(at: column) ?? 0)
            case .text: digest &+= withBytes(at: column) { Int($0.first ?? 0) &+ $0.count } ?? 0
            }
            column += 1
        }
        return digest
    }
}

/// Prevents the optimizer from removing a result.
@inline(never)
private func blackHole(_ value: Int) { withExtendedLifetime(value) {} }
