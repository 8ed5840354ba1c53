import SystemLibraries

/// The baseline of stores: the functions of SQLite, called as a C program does.
struct PlainSQLite {
    struct Failure: Error {
        let code: CInt
    }

    // From `sqlite3.h`.
    static let row: CInt = 100
    static let done: CInt = 101

    let functions: SQLiteFunctions
    let columns: PlainColumns
    let database: OpaquePointer?

    init(_ path: String) throws {
        functions = try SQLiteFunctions.system.get()
        columns = try PlainColumns()
        var database: OpaquePointer?
        // SQLITE_OPEN_READWRITE, CREATE and NOMUTEX.
        let code = functions.open(path, &database, 0x2 | 0x4 | 0x8000, nil)
        guard code == 0 else { throw Failure(code: code) }
        self.database = database
        if path != ":memory:" { try run("PRAGMA journal_mode = WAL") }
        try run("PRAGMA synchronous = NORMAL")
    }

    func close() { _ = functions.close(database) }

    func prepare(_ sql: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        let code = functions.prepare(database, sql, -1, 1, &statement, nil)
        guard code == 0 else { throw Failure(code: code) }
        return statement
    }

    func run(_ sql: String) throws {
        let statement = try prepare(sql)
        while functions.step(statement) == Self.row {}
        let code = functions.finalize(statement)
        guard code == 0 else { throw Failure(code: code) }
    }

    /// Inserts rows, in one transaction.
    func insert(_ rows: StoredRows, _ sql: String) throws {
        try run("BEGIN IMMEDIATE")
        let statement = try prepare(sql)
        for row in 0..<rows.count {
            for (index, column) in rows.columns.enumerated() {
                let parameter = CInt(index + 1)
                switch column.kind {
                case .integer: _ = functions.bindInteger(statement, parameter, Int64(row) &* column.factor)
                case .real: _ = functions.bindReal(statement, parameter, Double(row) * 0.5)
                case .text:
                    let bytes = rows.text(row)
                    let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                    _ = functions.bindText(statement, parameter, start, UInt64(bytes.count), nil, 1)
                }
            }
            guard functions.step(statement) == Self.done else { throw Failure(code: 1) }
            _ = functions.reset(statement)
        }
        _ = functions.finalize(statement)
        try run("COMMIT")
    }

    /// Reads the cells of the current row that are not null.
    /// - Parameter kinds: the column types.
    /// - Returns: a digest of all cells.
    func digest(_ statement: OpaquePointer?, _ kinds: [StoredRows.Kind]) -> Int {
        var digest = 0
        var column: CInt = 0
        for kind in kinds {
            if columns.type(statement, column) != 5 {
                switch kind {
                case .integer: digest &+= Int(columns.integer(statement, column))
                case .real: digest &+= Int(columns.real(statement, column))
                case .text:
                    let start = columns.text(statement, column)
                    digest &+= Int(start?.pointee ?? 0) &+ Int(columns.byteCount(statement, column))
                }
            }
            column += 1
        }
        return digest
    }
}

/// The SQLite functions for reading cells.
struct PlainColumns {
    let type: @convention(c) @Sendable (OpaquePointer?, CInt) -> CInt
    let integer: @convention(c) @Sendable (OpaquePointer?, CInt) -> Int64
    let real: @convention(c) @Sendable (OpaquePointer?, CInt) -> Double
    let text: @convention(c) @Sendable (OpaquePointer?, CInt) -> UnsafePointer<UInt8>?
    let byteCount: @convention(c) @Sendable (OpaquePointer?, CInt) -> CInt

    init() throws {
        let library = try DynamicLibrary(SQLiteFunctions.libraryName)
        type = try library.function("sqlite3_column_type")
        integer = try library.function("sqlite3_column_int64")
        real = try library.function("sqlite3_column_double")
        text = try library.function("sqlite3_column_text")
        byteCount = try library.function("sqlite3_column_bytes")
    }
}
