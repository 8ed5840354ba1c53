import Foundation
import LocalStore
import Testing

/// SQLite is the judge: what it answers, a `MemoryStore` has to answer, value for value and class for class.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable)) struct MemoryStoreDifferentialTests {
    /// What a store made of a statement.
    enum Outcome: Equatable {
        case rows([[StoreValue]], names: [String])
        case count(Int)
        /// A code that both stores promise; nil for the others.
        case failure(StoreError.Code?)
        case unsupported
    }

    /// What both stores call by the same name. What is no SQL is told apart from what fails by each in its own way.
    static let promised: Set<StoreError.Code> = [
        .noSuchTable, .noSuchColumn, .tableExists, .constraint, .invalidArgument, .misuse, .readOnly,
    ]

    static func failure(_ error: any Error) -> Outcome {
        guard let error = error as? StoreError else { return .failure(nil) }
        // Where the largest rowid is taken, SQLite guesses another one; nobody can do the same.
        if error.code == .unsupportedSQL || error.code == .full { return .unsupported }
        return .failure(promised.contains(error.code) ? error.code : nil)
    }

    static func outcome(_ sql: String, _ parameters: [StoreValue] = [], in store: some LocalStore) -> Outcome {
        do {
            guard sql.hasPrefix("SELECT") else { return .count(try store.execute(sql, parameters)) }
            var rows: [[StoreValue]] = []
            var names: [String] = []
            try store.query(sql, parameters) { row in
                names = row.columnNames
                rows.append(row.values)
                return true
            }
            return .rows(rows, names: names)
        } catch {
            return failure(error)
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
        var unsupported = 0
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
                let mine = Self.outcome(sql, in: memory)
                // Nobody does it then.
                guard mine != .unsupported else {
                    unsupported += 1
                    continue
                }
                #expect(mine == Self.outcome(plain(sql), in: sqlite), "\(sql)")
                compared += 1
            }
            for table in generator.tables {
                let sql = "SELECT rowid, * FROM \(table.name)"
                #expect(Self.outcome(sql, in: memory) == Self.outcome(plain(sql), in: sqlite))
            }
            let catalog = "SELECT rowid, type, name, tbl_name, sql FROM sqlite_master"
            #expect(Self.outcome(catalog, in: memory) == Self.outcome(catalog, in: sqlite))
        }
        // A generator that makes nothing but errors and unknown things would prove nothing.
        #expect(compared > 600 && unsupported * 10 < compared)
    }
}
