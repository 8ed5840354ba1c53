/// Puts the rows of a batch into a table, cell by cell, without a value in between where a cell already is as its column
/// keeps it.
struct MemoryBatch {
    private let batch: RowBatch
    private let definition: MemoryTableDefinition
    /// The table's column for each column of the batch.
    private let columns: [Int]
    /// The batch's column for each column of the table; nil for those that it has not.
    private let sources: [Int?]
    /// What a new row has in the columns that the batch has not.
    private let defaults: [SQLValue]
    /// The columns of the batch that are no part of the primary key.
    private let updated: [Int]

    init(_ batch: RowBatch, into definition: MemoryTableDefinition) throws(StoreError) {
        var columns: [Int] = []
        for column in batch.columns { columns.append(try definition.index(of: column)) }
        let sources = definition.affinities.indices.map { columns.firstIndex(of: $0) }
        guard !definition.primaryKey.isEmpty, definition.primaryKey.allSatisfy({ sources[$0] != nil }) else {
            throw StoreError(
                .invalidArgument,
                "Table \(definition.name.text) has no primary key, or the batch lacks a column of it.")
        }
        var defaults: [SQLValue] = []
        for (column, source) in sources.enumerated() {
            defaults.append(source == nil ? try definition.defaultValue(column) : .null)
            if source == nil, !batch.isEmpty, defaults[column].isNull,
                definition.schema.columns[column].isNotNull
            {
                throw definition.brokenRule("NOT NULL constraint failed", [column])
            }
        }
        self.batch = batch
        self.definition = definition
        self.columns = columns
        self.sources = sources
        self.defaults = defaults
        updated = columns.indices.filter { !definition.primaryKey.contains(columns[$0]) }
    }

    func upsert(into table: inout MemoryTable, _ undo: inout UndoLog) throws(StoreError) -> Int {
        table.reserve(batch.rowCount)
        let notNull = columns.indices.filter { definition.schema.columns[columns[$0]].isNotNull }
        let others = table.keys.indices.filter { table.keys[$0].columns != definition.primaryKey }
        let key = table.keys.firstIndex { $0.columns == definition.primaryKey }
        var line = [RowBatch.Cell](repeating: RowBatch.Cell(bits: 0, kind: .null), count: sources.count)
        let width = columns.count
        try batch.arena.withBytes { arena throws(StoreError) in
            for row in 0..<batch.rowCount {
                let cells = batch.cells[(row * width)..<(row * width + width)]
                for column in notNull where cells[row * width + column].kind == .null {
                    if columns[column] != definition.rowidColumn {
                        throw definition.brokenRule("NOT NULL constraint failed", [columns[column]])
                    }
                }
                let (rowid, place) = try find(row, key, in: table)
                if let place {
                    if others.isEmpty {
                        try table.update(place, &undo) { table throws(StoreError) in
                            for column in updated {
                                let cell = try Self.stored(
                                    cells[row * width + column], arena, columns[column], &table)
                                table.columns[columns[column]].set(cell, at: place)
                            }
                        }
                    } else {
                        try slowUpdate(row, place, in: &table, &undo)
                    }
                } else if others.isEmpty {
                    for (column, source) in sources.enumerated() where column != definition.rowidColumn {
                        line[column] =
                            if let source {
                                try Self.stored(cells[row * width + source], arena, column, &table)
                            } else {
                                try table.columns[column].cell(for: defaults[column])
                            }
                    }
                    try table.insert(line, rowid: rowid == nil ? try table.nextRowid() : rowid ?? 0, &undo)
                } else {
                    try slowInsert(row, rowid, in: &table, &undo)
                }
            }
        }
        return batch.rowCount
    }

    /// The rowid that a row of the batch has, if its key is one, and where in the table the row of its key is.
    @inline(__always)
    private func find(
        _ row: Int, _ key: Int?, in table: borrowing MemoryTable
    ) throws(StoreError) -> (rowid: Int64?, place: Int?) {
        if let column = definition.rowidColumn {
            let cell = batch.cells[row * columns.count + (sources[column] ?? 0)]
            let rowid =
                cell.kind == .integer
                ? cell.integer : try wantedRowid(batch.sqlValue(row: row, column: sources[column] ?? 0), table)
            return (rowid, table.row(rowid: rowid))
        }
        var values: [SQLValue] = []
        for column in definition.primaryKey {
            let value = definition.affinities[column].stored(batch.sqlValue(row: row, column: sources[column] ?? 0))
            if value.isNull { throw definition.brokenRule("NOT NULL constraint failed", definition.primaryKey) }
            values.append(value)
        }
        return (nil, key.flatMap { table.row(key: $0, values: values) })
    }

    private func wantedRowid(_ value: SQLValue, _ table: borrowing MemoryTable) throws(StoreError) -> Int64 {
        if value.isNull { throw definition.brokenRule("NOT NULL constraint failed", definition.primaryKey) }
        return try table.rowid(from: value)
    }

    /// The cell as its column keeps it, its bytes in the column's arena.
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
            return RowBatch.Cell(bits: try table.columns[column].keep(bytes), kind: cell.kind)
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

    // MARK: Tables with more than one key

    private func slowUpdate(
        _ row: Int, _ place: Int, in table: inout MemoryTable, _ undo: inout UndoLog
    ) throws(StoreError) {
        let changes = updated.map { column in
            let target = columns[column]
            return (target, definition.affinities[target].stored(batch.sqlValue(row: row, column: column)))
        }
        let rowid = table.rowid(row: place)
        try table.check(place, changes, rowid: rowid)
        try table.update(place, changes, rowid: rowid, &undo)
    }

    private func slowInsert(
        _ row: Int, _ rowid: Int64?, in table: inout MemoryTable, _ undo: inout UndoLog
    ) throws(StoreError) {
        var values = sources.indices.map { column in
            sources[column].map { definition.affinities[column].stored(batch.sqlValue(row: row, column: $0)) }
                ?? defaults[column]
        }
        _ = try table.insert(&values, rowid: rowid.map(SQLValue.integer) ?? .null, .abort, &undo)
    }
}
