import Foundation
import LocalStore
import PatchbayTestKit
import SQLiteStore
import StoreTestSupport
import TestSupport
import Testing

/// Differential tests as ``MemoryStoreDifferentialTests``, for changes: table definitions, batches, parameters, nested
/// transactions and a reopened journal.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable)) struct StoreOperationDifferentialTests {
    private typealias Outcome = MemoryStoreDifferentialTests.Outcome

    /// Runs an operation other than a transaction.
    private func outcome(_ operation: StoreOperation, in store: some LocalStore) -> Outcome {
        do {
            switch operation {
            case .statement(let sql, let parameters):
                let outcome = MemoryStoreDifferentialTests.outcome(sql, parameters, in: store)
                // SQLite has a single code for most errors of ALTER TABLE.
                if sql.hasPrefix("ALTER"), case .failure = outcome { return .failure(nil) }
                return outcome
            case .upsert(let batch, let table): return .count(try store.upsert(batch, into: table))
            case .delete(let keys, let table): return .count(try store.delete(keys, from: table))
            case .replace(let table, let replacement):
                try store.swapTable(table, for: replacement)
                return .count(0)
            case .transaction: return .unsupported
            }
        } catch {
            return MemoryStoreDifferentialTests.failure(error)
        }
    }

    /// Runs an operation on both stores and compares the outcomes.
    private func run(_ operation: StoreOperation, _ memory: MemoryStore, _ sqlite: SQLiteStore) throws {
        if case .transaction(let operations, let isKept) = operation {
            do {
                try memory.transaction {
                    try sqlite.transaction {
                        for operation in operations { try run(operation, memory, sqlite) }
                        if !isKept { throw Interruption() }
                    }
                }
            } catch is Interruption {}
            return
        }
        let mine = outcome(operation, in: memory)
        // Then SQLite does not run it either.
        guard mine != .unsupported else { return }
        #expect(mine == outcome(operation, in: sqlite), "\(operation)")
    }

    /// A textual dump of a store.
    private func content(of store: some LocalStore) throws -> [String] {
        var content = try store.rows("SELECT rowid, type, name, tbl_name, sql FROM sqlite_master").map { "\($0)" }
        content.append("\(try store.rows("PRAGMA user_version"))")
        for name in try store.tableNames() {
            let table = SQLIdentifier(name)
            content.append("\(name): \(String(describing: try store.schema(of: table)))")
            content.append(try store.json("SELECT rowid, * FROM \(table.quoted) ORDER BY rowid"))
            content += try store.rows("SELECT rowid, * FROM \(table.quoted) ORDER BY rowid", []).map { "\($0)" }
        }
        return content
    }

    @Test func `changes match SQ lite`() throws {
        for seed in 1...40 { try compare(seed: seed) }
    }

    private func compare(seed: Int) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var generator = StoreOperationGenerator(seed: UInt64(seed))
        let journal = MemoryJournalConfiguration(path: folder.path("store.journal"), rotationSize: 3000)
        var memory = try MemoryStore(journal: journal)
        let sqlite = try SQLiteStore(.memory)
        for step in 0..<60 {
            let operation = try generator.operation()
            try run(operation, memory, sqlite)
            try run(generator.select(), memory, sqlite)
            if step % 13 == 12 {
                try memory.close()
                memory = try MemoryStore(journal: journal)
            }
            let mine = try content(of: memory)
            let theirs = try content(of: sqlite)
            #expect(mine == theirs, "seed \(seed): \(operation)")
            // Later differences would only follow from this one.
            if mine != theirs { return }
        }
    }
}
