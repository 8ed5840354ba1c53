import Foundation
import LocalStore
import Testing

/// SQLite is the judge: what it answers, a `MemoryStore` has to answer, value for value and class for class.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable)) struct MemoryStoreDifferentialTests {
    /// What a store made of a statement.
    enum Outcome: Equatable {
        case rows([[StoreValue]])
        case count(Int)
        case failure
        case unsupported
    }

    private func outcome(_ sql: String, in store: some LocalStore) -> Outcome {
        do {
            return sql.hasPrefix("SELECT") ? .rows(try store.rows(sql)) : .count(try store.execute(sql))
        } catch let error as StoreError {
            // Where the largest rowid is taken, SQLite guesses another one; nobody can do the same.
            return error.code == .unsupportedSQL || error.code == .full ? .unsupported : .failure
        } catch {
            return .failure
        }
    }

    /// The statement without the help of an index: SQLite would give its rows in the order of the index.
    private func plain(_ sql: String) -> String {
        var sql = sql
        for name in ["t0", "t1"] {
            for place in [" FROM \(name)", "UPDATE \(name)"] where sql.contains(place + " ") || sql.hasSuffix(place) {
                sql = sql.replacingOccurrences(
                    of: "\(place)(?= |$)", with: "\(place) NOT INDEXED", options: .regularExpression)
            }
        }
        return sql
    }

    @Test(arguments: 1...16)
    func everyAnswerIsSQLites(seed: Int) throws {
        var compared = 0
        for round in 0..<5 {
            var generator = SQLGenerator(seed: UInt64(seed * 1000 + round))
            let memory = MemoryStore()
            let sqlite = try SQLiteStore(.memory)
            for table in generator.tables {
                try memory.execute(table.definition)
                try sqlite.execute(table.definition)
            }
            for step in 0..<140 {
                let isChange = step < 12 || step.isMultiple(of: 4)
                let sql = isChange ? generator.change() : generator.select()
                let mine = outcome(sql, in: memory)
                guard mine != .unsupported else {
                    // Only what it has not done can part them.
                    if isChange { break }
                    continue
                }
                #expect(mine == outcome(plain(sql), in: sqlite), "\(sql)")
                compared += 1
            }
            for table in generator.tables {
                let sql = "SELECT rowid, * FROM \(table.name)"
                #expect(outcome(sql, in: memory) == outcome(plain(sql), in: sqlite))
            }
            let catalog = "SELECT rowid, type, name, tbl_name, sql FROM sqlite_master"
            #expect(outcome(catalog, in: memory) == outcome(catalog, in: sqlite))
        }
        // A generator that makes nothing but errors and unknown things would prove nothing.
        #expect(compared > 500)
    }
}
