import Foundation
import LocalStore
import PatchbayTestKit
import TestSupport
import Testing

/// As ``MemoryStoreDifferentialTests``, for all that is no query: tables that are made, changed, renamed and replaced,
/// batches, parameters, transactions within transactions, and a journal that is read again.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable)) struct StoreOperationDifferentialTests {
    private typealias Outcome = MemoryStoreDifferentialTests.Outcome

    /// Does something in a store that is no transaction.
    private func outcome(_ operation: StoreOperation, in store: some LocalStore) -> Outcome {
        do {
            switch operation {
            case .statement(let sql, let parameters):
                let outcome = MemoryStoreDifferentialTests.outcome(sql, parameters, in: store)
                // SQLite has one code for most that can be wrong here.
                if sql.hasPrefix("ALTER"), case .failure = outcome { return .failure(nil) }
                return outcome
            case .upsert(let batch, let table): return .count(try store.upsert(batch, into: table))
            case .delete(let keys, let table): return .count(try store.delete(keys, from: table))
            case .replace(let table, let replacement):
                try store.replace(table, with: replacement)
                return .count(0)
            case .transaction: return .unsupported
            }
        } catch {
            return MemoryStoreDifferentialTests.failure(error)
        }
    }

    /// Does the same in both stores.
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
        // Nobody does it then.
        guard mine != .unsupported else { return }
        #expect(mine == outcome(operation, in: sqlite), "\(operation)")
    }

    /// All that a store holds, in words.
    private func content(of store: some LocalStore) throws -> [String] {
        var content = try store.rows("SELECT rowid, type, name, tbl_name, sql FROM sqlite_master").map { "\($0)" }
        for name in try store.tables() {
            let table = SQLIdentifier(name)
            content.append("\(name): \(String(describing: try store.schema(of: table)))")
            content.append(try store.json("SELECT rowid, * FROM \(table.quoted) ORDER BY rowid"))
            content += try store.rows("SELECT rowid, * FROM \(table.quoted) ORDER BY rowid").map { "\($0)" }
        }
        return content
    }

    @Test func everyChangeIsSQLites() throws {
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
            // What comes behind the first difference tells nothing.
            if mine != theirs { return }
        }
    }
}
