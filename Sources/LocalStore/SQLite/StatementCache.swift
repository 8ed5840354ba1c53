/// The statements that a connection has compiled; those used least recently make room for others. One that is in use
/// lives on without it.
struct StatementCache: ~Copyable {
    private struct Entry {
        var statement: SQLiteStatement
        var lastUse: UInt64
    }

    /// A longer text is not kept: most of its kind hold values and are run once, and each would take its memory.
    private static let longestText = 16_384

    private let capacity: Int
    private var entries: [SQLText: Entry] = [:]
    private var recent: SQLiteStatement?
    private var uses: UInt64 = 0

    /// - Parameter capacity: how many statements to keep; none when it is not positive.
    init(capacity: Int) { self.capacity = capacity }

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
        guard capacity > 0, statement.sql.text.utf8.count <= Self.longestText else { return }
        uses += 1
        if entries.count >= capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
        }
        entries[statement.sql] = Entry(statement: statement, lastUse: uses)
        recent = statement
    }

    /// Gives up all statements: what they were compiled for has changed.
    mutating func removeAll() {
        entries = [:]
        recent = nil
    }
}
