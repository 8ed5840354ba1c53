import StoreCore
import SystemLibraries

extension SQLiteConnection {
    /// Inserts the rows of a batch. All or none.
    /// - Returns: the last row's rowid; 0 for an empty batch and for a table WITHOUT ROWID.
    @discardableResult
    mutating func insert(
        _ batch: RowBatch, into table: SQLIdentifier, _ protectedTables: ProtectedTables
    ) throws -> Int64 {
        let statement = try statement(insertion(of: batch.columns, into: table))
        try protectedTables.check(statement.effects.tables)
        guard !batch.isEmpty else { return 0 }
        // A rowid that this insertion cannot have: it remains for a table WITHOUT ROWID, a view, and an ignored row.
        // Defaults and BEFORE triggers see it.
        let before = functions.lastInsertRowID(database)
        let none = Self.unusedRowid(in: batch)
        functions.setLastInsertRowID(database, none)
        do {
            if batch.rowCount == 1, !statement.effects.mayApplyPartially {
                _ = try run(statement, for: batch)
            } else {
                _ = try atomically { try $0.run(statement, for: batch) }
            }
        } catch {
            functions.setLastInsertRowID(database, before)
            throw error
        }
        let rowid = functions.lastInsertRowID(database)
        guard rowid == none else { return rowid }
        functions.setLastInsertRowID(database, before)
        return 0
    }

    /// The text of an insertion. That of the last one is kept: programs insert one row after another into a table.
    private mutating func insertion(of columns: [SQLIdentifier], into table: SQLIdentifier) throws -> String {
        if let last = lastInsertion, last.table == table, last.columns == columns { return last.text }
        guard table.isValid else { throw StoreError(.noSuchTable, "no such table: the name is empty or contains NUL") }
        guard columns.allSatisfy(\.isValid) else {
            throw StoreError(.noSuchColumn, "no such column in \(table): the name is empty or contains NUL")
        }
        let names = columns.map(\.quoted).joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        let text = "INSERT INTO \(table.quoted) (\(names)) VALUES (\(places))"
        lastInsertion = Insertion(table: table, columns: columns, text: text)
        return text
    }

    /// The text of an insertion of rows.
    struct Insertion {
        let table: SQLIdentifier
        let columns: [SQLIdentifier]
        let text: String
    }

    /// A number that cannot be the rowid of the last row of a batch: SQLite never chooses the smallest integer itself,
    /// and hardly ever the largest.
    private static func unusedRowid(in batch: RowBatch) -> Int64 {
        let lastRow = batch.cells.suffix(batch.columns.count)
        return lastRow.contains { $0.kind == .integer && $0.integer == .min } ? .max : .min
    }
}
