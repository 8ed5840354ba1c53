import StoreCore

/// Inserts or upserts the rows of a batch into a table, cell by cell.
///
/// A cell that already has its column's storage class is copied as it is, without an ``SQLValue`` in between.
struct BatchLoader {
    let batch: RowBatch
    let definition: MemoryTableDefinition
    /// For each column of the batch, the table's column.
    let columns: [Int]
    /// For each column of the table, the batch's column; nil if the batch lacks it.
    let sources: [Int?]
    /// Default values for the columns that the batch lacks.
    let defaults: [SQLValue]
    let interruption: StatementInterruption
    /// The columns of the batch outside the primary key.
    private let updated: [Int]

    /// - Parameter needsKey: true if the batch must have the columns of the primary key, for an upsert.
    init(
        _ batch: RowBatch, into definition: MemoryTableDefinition, needsKey: Bool,
        _ interruption: StatementInterruption
    ) throws(StoreError) {
        var columns: [Int] = []
        for column in batch.columns { columns.append(try definition.index(of: column)) }
        let sources = definition.affinities.indices.map { columns.firstIndex(of: $0) }
        let hasKey = !definition.primaryKey.isEmpty && definition.primaryKey.allSatisfy { sources[$0] != nil }
        guard hasKey || !needsKey else {
            throw StoreError(
                .invalidArgument,
                "Table \(definition.name.text) has no primary key, or the batch lacks one of its columns.")
        }
        var defaults: [SQLValue] = []
        for (column, source) in sources.enumerated() {
            let isNeeded = source == nil && column != definition.rowidColumn
            defaults.append(isNeeded ? try definition.defaultValue(column) : .null)
            if source == nil, !batch.isEmpty, defaults[column].isNull, column != definition.rowidColumn,
                definition.schema.columns[column].isNotNull
            {
                throw definition.constraintError("NOT NULL constraint failed", [column])
            }
        }
        self.batch = batch
        self.definition = definition
        self.columns = columns
        self.sources = sources
        self.defaults = defaults
        self.interruption = interruption
        updated = columns.indices.filter { !definition.primaryKey.contains(columns[$0]) }
    }

    func upsert(into table: inout MemoryTable, _ undo: inout UndoLog) throws(StoreError) -> Int {
        table.reserve(batch.rowCount)
        let notNull = notNullColumns
        let otherKeys = table.keys.indices.filter { table.keys[$0].columns != definition.primaryKey }
        let key = table.keys.firstIndex { $0.columns == definition.primaryKey }
        var newCells = [RowBatch.Cell](repeating: RowBatch.Cell(bits: 0, kind: .null), count: sources.count)
        let width = columns.count
        try batch.arena.withBytes { arena throws(StoreError) in
            for row in 0..<batch.rowCount {
                try interruption.check(afterRow: row)
                let cells = batch.cells[(row * width)..<(row * width + width)]
                try checkNotNull(row, notNull)
                let (rowid, found) = try find(row, key, in: table)
                if let found {
                    if otherKeys.isEmpty {
                        try table.update(found, &undo) { table throws(StoreError) in
                            for column in updated {
                                let cell = try Self.stored(
                                    cells[row * width + column], arena, columns[column], &table)
                                table.columns[columns[column]].set(cell, at: found)
                            }
                        }
                    } else {
                        try checkedUpdate(row, found, in: &table, &undo)
                    }
                } else if otherKeys.isEmpty {
                    try fill(&newCells, row, arena, &table)
                    try table.insert(newCells, rowid: rowid == nil ? try table.nextRowid() : rowid ?? 0, &undo)
                } else {
                    try checkedInsert(row, rowid, in: &table, &undo)
                }
            }
        }
        return batch.rowCount
    }

    /// The columns of the batch that must not be null; a null rowid is checked where it is used.
    var notNullColumns: [Int] {
        columns.indices.filter {
            definition.schema.columns[columns[$0]].isNotNull && columns[$0] != definition.rowidColumn
        }
    }

    @inline(__always)
    func checkNotNull(_ row: Int, _ notNull: [Int]) throws(StoreError) {
        for column in notNull where batch.cells[row * columns.count + column].kind == .null {
            throw definition.constraintError("NOT NULL constraint failed", [columns[column]])
        }
    }

    /// Converts a row of the batch to the cells of a new row; columns that the batch lacks get defaults.
    @inline(__always)
    func fill(
        _ newCells: inout [RowBatch.Cell], _ row: Int, _ arena: UnsafeRawBufferPointer, _ table: inout MemoryTable
    ) throws(StoreError) {
        for (column, source) in sources.enumerated() where column != definition.rowidColumn {
            newCells[column] =
                if let source {
                    try Self.stored(batch.cells[row * columns.count + source], arena, column, &table)
                } else {
                    try table.columns[column].cell(for: defaults[column])
                }
        }
    }

    /// The rowid of a row of the batch, if that is the key; and the table's row with the same key.
    @inline(__always)
    private func find(
        _ row: Int, _ key: Int?, in table: borrowing MemoryTable
    ) throws(StoreError) -> (rowid: Int64?, existing: Int?) {
        if let column = definition.rowidColumn {
            let cell = batch.cells[row * columns.count + (sources[column] ?? 0)]
            let rowid =
                cell.kind == .integer
                ? cell.integer : try checkedRowid(batch.sqlValue(row: row, column: sources[column] ?? 0), table)
            return (rowid, table.row(rowid: rowid))
        }
        var values: [SQLValue] = []
        for column in definition.primaryKey {
            let value = definition.affinities[column].stored(batch.sqlValue(row: row, column: sources[column] ?? 0))
            if value.isNull { throw definition.constraintError("NOT NULL constraint failed", definition.primaryKey) }
            values.append(value)
        }
        return (nil, key.flatMap { table.row(key: $0, values: values) })
    }

    private func checkedRowid(_ value: SQLValue, _ table: borrowing MemoryTable) throws(StoreError) -> Int64 {
        if value.isNull { throw definition.constraintError("NOT NULL constraint failed", definition.primaryKey) }
        return try table.rowid(from: value)
    }

    /// Converts a cell to its column's affinity; its bytes go into the column's arena.
    @inline(__always)
    private static func stored(
        _ cell: RowBatch.Cell, _ arena: UnsafeRawBufferPointer, _ column: Int, _ table: inout MemoryTable
    ) throws(StoreError) -> RowBatch.Cell {
        let affinity = table.definition.affinities[column]
        switch cell.kind {
        case .null: return cell
        case .integer where affinity == .integer || affinity == .numeric || affinity == .blob: return cell
        case .real where affinity == .blob: return cell
        case .real where affinity == .real: return RowBatch.Cell(bits: (cell.real + 0).bitPattern, kind: .real)
        case .blob,
            .text where affinity == .text || affinity == .blob:
            let bytes = UnsafeRawBufferPointer(rebasing: arena[cell.offset..<cell.offset + cell.count])
            return RowBatch.Cell(bits: try table.columns[column].appendBytes(bytes), kind: cell.kind)
        case .integer where affinity == .real:
            return RowBatch.Cell(bits: Double(cell.integer).bitPattern, kind: .real)
        default:
            let value: SQLValue
            switch cell.kind {
            case .integer: value = .integer(cell.integer)
            case .real: value = .real(cell.real)
            default: value = .text(ArraySlice(arena[cell.offset..<cell.offset + cell.count]))
            }
            return try table.columns[column].cell(for: affinity.stored(value))
        }
    }

    // MARK: Tables with further unique keys

    private func checkedUpdate(
        _ row: Int, _ existing: Int, in table: inout MemoryTable, _ undo: inout UndoLog
    ) throws(StoreError) {
        let changes = updated.map { column in
            let target = columns[column]
            return (target, definition.affinities[target].stored(batch.sqlValue(row: row, column: column)))
        }
        let rowid = table.rowid(row: existing)
        try table.check(existing, changes, rowid: rowid)
        try table.update(existing, changes, rowid: rowid, &undo)
    }

    private func checkedInsert(
        _ row: Int, _ rowid: Int64?, in table: inout MemoryTable, _ undo: inout UndoLog
    ) throws(StoreError) {
        let values = sources.indices.map { column in
            sources[column].map { definition.affinities[column].stored(batch.sqlValue(row: row, column: $0)) }
                ?? defaults[column]
        }
        try table.insertChecked(values, rowid: rowid.map(SQLValue.integer) ?? .null, &undo)
    }
}
