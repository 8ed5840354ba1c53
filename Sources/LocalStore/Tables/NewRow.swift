import StoreCore

/// A row that an INSERT is about to add to a table.
struct NewRow {
    /// One value per column, converted to its affinity; NULL for the column that aliases the rowid.
    private(set) var values: [SQLValue]
    /// The rowid that the statement asks for; NULL for the next free one.
    private(set) var rowid: SQLValue
    /// The values before the conversion, as `excluded` shows them; empty if no clause can read them.
    private var given: [SQLValue] = []

    init(_ values: [SQLValue], rowid: SQLValue) {
        self.values = values
        self.rowid = rowid
    }

    /// - Parameter given: a value for each of the statement's columns; the other columns have their defaults.
    init(_ given: [SQLValue], _ insert: MemoryInsert, _ definition: MemoryTableDefinition) throws(StoreError) {
        values = []
        rowid = .null
        for (column, expression) in definition.defaults.enumerated() {
            if case .value(let value) = expression {
                values.append(value)
            } else {
                // Computed only where it is needed, since it may fail.
                let isNeeded = column != definition.rowidColumn && !insert.columns.contains(column)
                values.append(isNeeded ? try definition.computedDefault(column) : .null)
            }
        }
        if let column = definition.rowidColumn { values[column] = .null }
        for (column, value) in zip(insert.columns, given) {
            if let column, column != definition.rowidColumn { values[column] = value } else { rowid = value }
        }
        if !insert.updates.isEmpty { self.given = values }
        for column in values.indices { values[column] = definition.affinities[column].stored(values[column]) }
    }

    mutating func setDefault(_ column: Int, _ definition: MemoryTableDefinition) throws(StoreError) {
        values[column] = try definition.defaultValue(column)
        if !given.isEmpty { given[column] = try definition.computedDefault(column) }
    }

    /// Makes `excluded` show the converted values, as SQLite does once it has checked a key other than the rowid.
    mutating func convertGiven() { if !given.isEmpty { given = values } }

    /// The source of the expressions of DO UPDATE: an existing row and this one, which is `excluded`. Both own their
    /// bytes: the table is about to change.
    ///
    /// In `excluded`, as in SQLite, a value is not yet converted to its column's affinity when the rowid was checked
    /// first, except an integer to REAL.
    func source(besides table: borrowing MemoryTable, _ row: Int, rowid: Int64) -> SQLRowValues {
        let definition = table.definition
        var all: [SQLValue] = []
        for column in values.indices { all.append(table.value(row: row, column: column).detached) }
        for (column, value) in given.enumerated() {
            if case .integer(let number) = value, definition.affinities[column] == .real {
                all.append(.real(Double(number)))
            } else {
                all.append(value)
            }
        }
        all.append(.integer(rowid))
        return SQLRowValues(values: all, rowid: table.rowid(row: row))
    }
}
