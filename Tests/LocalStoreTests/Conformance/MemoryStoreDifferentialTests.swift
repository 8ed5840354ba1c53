import Foundation
import LocalStore
import PatchbayTestKit
import SQLiteStore
import Testing

/// Differential tests: `MemoryStore` must return the same values and storage classes as SQLite.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable)) struct MemoryStoreDifferentialTests {
    /// Outcome of a statement.
    enum Outcome: Equatable {
        case rows([[StoreValue]], names: [String])
        case count(Int)
        case failure(StoreError.Code?)
        case unsupported
    }

    static func failure(_ error: any Error) -> Outcome {
        guard let error = error as? StoreError else { return .failure(nil) }
        if error.code == .unsupportedSQL { return .unsupported }
        // SQLite has a single code for both; see StatementMistakeTests.
        return .failure(error.code == .syntax ? .failed : error.code)
    }

    /// The value, with negative zero made distinct from zero.
    private static func exact(_ value: StoreValue) -> StoreValue {
        if case .real(let number) = value, number == 0, number.sign == .minus { return "negative zero" }
        return value
    }

    /// Number of seeds; a long run sets more.
    private static let seedCount = ProcessInfo.processInfo.environment["PATCHBAY_SEEDS"].flatMap(Int.init) ?? 16

    /// RETURNING of SQLite 3.40 gives a whole number of a REAL column as an INTEGER, and an INTEGER that is stored in a
    /// REAL column too with the precision of a REAL.
    private static func whole(_ value: StoreValue) -> StoreValue {
        switch exact(value) {
        case .real(let number): Int64(exactly: number).map(StoreValue.integer) ?? .real(number)
        case .integer(let number): Int64(exactly: Double(number)).map(StoreValue.integer) ?? .real(Double(number))
        case let other: other
        }
    }

    static func outcome(_ sql: String, _ parameters: [StoreValue] = [], in store: some LocalStore) -> Outcome {
        do {
            let isReturning = sql.contains(" RETURNING ")
            guard sql.hasPrefix("SELECT") || isReturning || sql == "PRAGMA user_version" else {
                return .count(try store.execute(sql, parameters))
            }
            var rows: [[StoreValue]] = []
            var names: [String] = []
            try store.query(sql, parameters) { row in
                names = row.columnNames
                rows.append(row.values.map(isReturning ? whole : exact))
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

    /// True for an insertion of several rows that may have the largest rowid: each store chooses random ones then.
    private static func mayChooseRandomRowid(_ sql: String) -> Bool {
        (sql.hasPrefix("INSERT") || sql.hasPrefix("REPLACE")) && sql.contains("\(Int64.max)")
            && (sql.contains("), (") || sql.contains("SELECT"))
    }

    /// Unary plus strips the affinity, so a text beside it does not become a number.
    @Test func `conditions on the rowid match SQ lite`() throws {
        let memory = MemoryStore()
        let sqlite = try SQLiteStore(.memory)
        for store in [memory, sqlite] as [any LocalStore] {
            try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
            try store.execute("INSERT INTO t VALUES (5, 'x'), (7, 'y'), (-1, NULL)")
        }
        for condition in [
            "id = '5'", "+id = '5'", "'5' = +id", "+rowid = '5'", "+id = 5", "+id = 5.0", "+id = CAST('5' AS TEXT)",
            "id = CAST('5' AS TEXT)", "i = '5'", "i = 5", "j = '5'", "id IN (5, 7)", "id IN ('7', 5, 5)",
            "id IN (5.0, 9)", "id IN (NULL, 7)", "+id IN ('5')", "id NOT IN (5)", "rowid IN (a, 5)", "id IN (5, 6.5)",
        ] {
            let sql = "SELECT +id AS i, id AS j, a FROM t WHERE \(condition)"
            #expect(Self.outcome(sql, in: memory) == Self.outcome(sql, in: sqlite), "\(condition)")
        }
        for sql in [
            "SELECT a FROM t WHERE +rowid = ?", "SELECT a FROM t WHERE rowid = ?", "DELETE FROM t WHERE +id = ?",
        ] {
            #expect(Self.outcome(sql, ["5"], in: memory) == Self.outcome(sql, ["5"], in: sqlite), "\(sql)")
        }
        #expect(try memory.rows("SELECT count(*) FROM t") == [[3]])
    }

    /// Values of lists and columns, equal ones of different storage classes among them.
    private static let values: [StoreValue] = [
        0, 1, 1.0, "1", "1.0", 2, 2.5, "2.5", " 3 ", 3, -7, "-7", 1e15, 1_000_000_000_000_000, "1.0e+15", "", "a", "A",
        .blob(.init("a".utf8)), .blob(.init("1".utf8)), .blob(.init()), "9007199254740993", 9_007_199_254_740_993,
        9_007_199_254_740_992.0, .integer(.max), .integer(.min), 9_223_372_036_854_775_807.0, -0.0, .real(.infinity),
        0.1, "x y", "é", "0x10", "1e3", 1000, 16,
    ]

    @Test(arguments: 1...seedCount)
    func `long lists of parameters match SQ lite`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let memory = MemoryStore()
        let sqlite = try SQLiteStore(.memory)
        for store in [memory, sqlite] as [any LocalStore] {
            try store.execute(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, i INTEGER, t TEXT, r REAL, n NUMERIC, b BLOB, z)")
        }
        for id in 1...60 {
            var row = [StoreValue.integer(Int64(id))]
            for _ in 0..<6 { row.append(Int.random(in: 0..<8, using: &random) == 0 ? nil : Self.value(&random)) }
            for store in [memory, sqlite] as [any LocalStore] {
                try store.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            }
        }
        for _ in 0..<40 {
            let count = Int.random(in: 1...200, using: &random)
            let hasNull = Bool.random(using: &random)
            var values = (0..<count).map { _ in Self.value(&random) }
            if hasNull { values[Int.random(in: 0..<count, using: &random)] = nil }
            let places = (1...count).map { "?\($0)" }.joined(separator: ", ")
            let operand = ["id", "i", "t", "r", "n", "b", "z", "+t", "i + 0", "t || ''"].randomElement(using: &random)
            let list = "\(operand ?? "z") \(Bool.random(using: &random) ? "NOT " : "")IN (\(places))"
            for sql in [
                "SELECT id FROM t WHERE \(list)", "SELECT id FROM t WHERE NOT (\(list)) OR id < 3",
                "SELECT id, \(list) FROM t", "SELECT sum(id) FILTER (WHERE \(list)) FROM t",
                "SELECT \(list) AS x, count(*) FROM t GROUP BY x HAVING max(\(list)) IS NOT 0",
                "SELECT id FROM t ORDER BY \(list), id", "UPDATE t SET z = \(list) WHERE id % 7 = 0",
                "SELECT id FROM t WHERE CASE WHEN \(list) THEN i ELSE id END",
                "DELETE FROM t WHERE \(list) AND id % 9 = 0",
            ] {
                #expect(
                    Self.outcome(sql, values, in: memory) == Self.outcome(sql, values, in: sqlite), "\(sql) \(values)")
            }
        }
        #expect(try memory.rows("SELECT * FROM t") == sqlite.rows("SELECT * FROM t"))
    }

    private static func value(_ random: inout SeededGenerator) -> StoreValue {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    @Test(arguments: 1...seedCount)
    func `results match SQ lite`(seed: Int) throws {
        var compared = 0
        var unsupported = 0
        for round in 0..<5 {
            var generator = SQLGenerator(seed: UInt64(seed * 1000 + round))
            let memory = MemoryStore(allowsDoubleQuotedText: true)
            var configuration = SQLiteStore.Configuration()
            configuration.allowsDoubleQuotedText = true
            let sqlite = try SQLiteStore(.memory, configuration: configuration)
            for table in generator.tables {
                try memory.execute(table.definition, [])
                try sqlite.execute(table.definition, [])
            }
            // False once a change ran in one store only.
            var isSessionEqual = true
            for step in 0..<140 {
                let isChange = step < 12 || step.isMultiple(of: 4)
                let sql = isChange ? generator.change() : generator.select()
                if isChange, Self.mayChooseRandomRowid(sql) { continue }
                if !isSessionEqual, sql.contains("changes()") || sql.contains("last_insert_rowid()") { continue }
                let mine = Self.outcome(sql, in: memory)
                // Then SQLite does not run it either.
                guard mine != .unsupported else {
                    unsupported += 1
                    if isChange { isSessionEqual = false }
                    continue
                }
                #expect(mine == Self.outcome(plain(sql), in: sqlite), "\(sql)")
                compared += 1
                for table in generator.tables where isChange {
                    let deletion = "DELETE FROM \(table.name) WHERE rowid = \(Int64.max)"
                    #expect(Self.outcome(deletion, in: memory) == Self.outcome(deletion, in: sqlite))
                }
            }
            for table in generator.tables {
                let sql = "SELECT rowid, * FROM \(table.name)"
                #expect(Self.outcome(sql, in: memory) == Self.outcome(plain(sql), in: sqlite))
            }
            let catalog = "SELECT rowid, type, name, tbl_name, sql FROM sqlite_master"
            #expect(Self.outcome(catalog, in: memory) == Self.outcome(catalog, in: sqlite))
        }
        // A generator of mostly errors and unsupported statements would prove nothing.
        #expect(compared > 600 && unsupported * 10 < compared)
    }
}
