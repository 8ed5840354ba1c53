import SystemLibraries

/// The statements that a connection has compiled; those used least recently make room for others.
struct StatementCache: ~Copyable {
    // A statement that is in here twice would be finalized twice: `find` comes before `keep`.
    private struct Entry {
        var statement: SQLiteStatement
        var lastUse: UInt64
    }

    private let capacity: Int
    private let functions: SQLiteFunctions
    private var entries: [SQLText: Entry] = [:]
    private var recent: SQLiteStatement?
    private var uses: UInt64 = 0

    /// - Parameter capacity: how many statements to keep; at least one.
    init(capacity: Int, _ functions: SQLiteFunctions) {
        self.capacity = max(capacity, 1)
        self.functions = functions
    }

    deinit {
        for entry in entries.values { _ = functions.finalize(entry.statement.pointer) }
    }

    /// The statement that was found or kept last, if it has this text.
    @inline(__always)
    func again(_ text: String) -> SQLiteStatement? {
        guard let recent, recent.sql.hasBytes(of: text) else { return nil }
        return recent
    }

    /// The statement with this text, if it was kept.
    mutating func find(_ sql: SQLText) -> SQLiteStatement? {
        uses += 1
        guard let statement = entries[sql]?.statement else { return nil }
        entries[sql]?.lastUse = uses
        recent = statement
        return statement
    }

    /// Replaces what is known of a statement by what is known now, if the statement is kept.
    mutating func replace(_ old: SQLiteStatement, with new: SQLiteStatement) {
        guard entries[old.sql]?.statement === old else { return }
        entries[old.sql]?.statement = new
        if recent === old { recent = new }
    }

    /// Keeps a statement, and gives up the one used least recently when there are too many.
    mutating func keep(_ statement: SQLiteStatement) {
        uses += 1
        if entries.count >= capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
            _ = functions.finalize(oldest.value.statement.pointer)
        }
        entries[statement.sql] = Entry(statement: statement, lastUse: uses)
        recent = statement
    }
}
