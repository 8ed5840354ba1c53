import Foundation
import StoreCore

/// The result set of a SELECT, materialized before its first row is read, so a reader never blocks the store.
///
/// Small results are copied. Large ones share the table's columns (copy on write): a change to the table while they are
/// read copies the table.
struct ResultSet {
    /// Buffers of a result set's cells, recycled from one result set to the next.
    struct Buffers {
        /// Row by row; the bytes of texts and blobs are in the arena.
        fileprivate var cells: [RowBatch.Cell] = []
        fileprivate var arena: [UInt8] = []

        /// Largest capacity, in cells or bytes, that is kept for the next result set.
        private static let maximumKeptCapacity = 4096

        fileprivate mutating func removeAll() {
            cells.removeAll(keepingCapacity: cells.capacity <= Self.maximumKeptCapacity)
            arena.removeAll(keepingCapacity: arena.capacity <= Self.maximumKeptCapacity)
        }
    }

    let names: [String]
    private(set) var rowCount = 0
    private var buffers = Buffers()
    private var shared: (snapshot: ColumnSnapshot, rows: [Int32])?

    init(names: [String]) { self.names = names }

    /// Empties this result set and exchanges its buffers with `other`. Its rows are gone.
    mutating func swapBuffers(_ other: inout Buffers) {
        rowCount = 0
        shared = nil
        buffers.removeAll()
        // A swap instead of a copy: copying would cost what recycling saves.
        swap(&buffers, &other)
    }

    /// A result set that shares the rows of a table.
    init(names: [String], _ snapshot: ColumnSnapshot, rows: [Int32]) {
        self.names = names
        rowCount = rows.count
        shared = (snapshot, rows)
    }

    /// True if sharing is better than copying: a change meanwhile copies the whole table, so the table must not be much
    /// larger than the result. A snapshot of many columns is copied in any case.
    static func shouldShare(_ rows: Int, of tableRows: Int, columnCount: Int) -> Bool {
        rows >= 64 && rows >= tableRows / (columnCount <= ColumnSnapshot.maximumInPlace ? 16 : 2)
    }

    mutating func reserve(_ rows: Int) { buffers.cells.reserveCapacity(rows * names.count) }

    /// Ends a row, after one cell was appended for each column.
    mutating func endRow() { rowCount += 1 }

    mutating func append(_ value: SQLValue) throws(StoreError) {
        switch value {
        case .null: buffers.cells.append(RowBatch.Cell(bits: 0, kind: .null))
        case .integer(let number): buffers.cells.append(RowBatch.Cell(bits: UInt64(bitPattern: number), kind: .integer))
        case .real(let number): buffers.cells.append(RowBatch.Cell(bits: number.bitPattern, kind: .real))
        case .text(let bytes): try bytes.withBytes { bytes throws(StoreError) in try append(bytes, .text) }
        case .blob(let bytes): try bytes.withBytes { bytes throws(StoreError) in try append(bytes, .blob) }
        }
    }

    mutating func append(_ number: Int64) {
        buffers.cells.append(RowBatch.Cell(bits: UInt64(bitPattern: number), kind: .integer))
    }

    /// Appends a cell and copies its bytes.
    @inline(__always)
    mutating func append(_ cell: StoreCell) throws(StoreError) {
        guard cell.kind == .text || cell.kind == .blob else {
            return buffers.cells.append(RowBatch.Cell(bits: cell.bits, kind: cell.kind))
        }
        try append(cell.bytes, cell.kind)
    }

    /// Appends a column's cell and copies its bytes, if it has any, from the column's arena.
    mutating func append(_ cell: RowBatch.Cell, in column: [UInt8]) throws(StoreError) {
        guard cell.kind == .text || cell.kind == .blob else { return buffers.cells.append(cell) }
        try column.withBytes { bytes throws(StoreError) in try append(cell.bytes(in: bytes), cell.kind) }
    }

    /// Appends a column's cell; ``copyBytes(ofCell:from:)`` copies its bytes later.
    @inline(__always)
    mutating func append(_ cell: RowBatch.Cell) { buffers.cells.append(cell) }

    /// Copies the bytes of a cell of the first row, if it has any, from its column's arena.
    @inline(__always)
    mutating func copyBytes(ofCell index: Int, from column: [UInt8]) throws(StoreError) {
        let cell = buffers.cells[index]
        guard cell.kind == .text || cell.kind == .blob else { return }
        buffers.cells[index].bits = UInt64(buffers.arena.count) << 32 | UInt64(cell.count)
        try column.withBytes { bytes throws(StoreError) in try appendToArena(cell.bytes(in: bytes)) }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer, _ kind: StoreValue.Kind) throws(StoreError) {
        buffers.cells.append(RowBatch.Cell(bits: UInt64(buffers.arena.count) << 32 | UInt64(bytes.count), kind: kind))
        try appendToArena(bytes)
    }

    private mutating func appendToArena(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        guard buffers.arena.count + bytes.count <= Int(UInt32.max) else {
            throw StoreError(.tooLarge, "Result set exceeds 4 GiB of text and blobs; select fewer rows.")
        }
        buffers.arena.append(contentsOf: bytes)
    }

    /// Calls `each` for every row until it returns false.
    /// - Parameter interruption: ends the rows with `interrupted`.
    func forEach(
        _ interruption: StatementInterruption, _ each: (borrowing StoreRow) throws -> Bool
    ) throws {
        guard rowCount > 0 else { return }
        if let shared {
            return try shared.snapshot.withCells { cells in
                var cursor = ColumnCursor(columns: cells, row: 0)
                try visit(&cursor, shared.rows, interruption, to: each)
            }
        }
        try withUnsafeTemporaryAllocation(of: StoreCell.self, capacity: names.count) { rowCells in
            rowCells.initialize(repeating: .null)
            try buffers.arena.withUnsafeBytes { arena in try visit(rowCells, arena, interruption, to: each) }
        }
    }

    // Never inlined: the optimizer of Swift 6.3 crashes when a row that cannot be copied is made in nested closures.

    @inline(never)
    private func visit(
        _ cursor: UnsafeMutablePointer<ColumnCursor>, _ rows: [Int32], _ interruption: StatementInterruption,
        to each: (borrowing StoreRow) throws -> Bool
    ) throws {
        let storeRow = StoreRow(columnNames: names, UnsafePointer(cursor))
        for (index, row) in rows.enumerated() {
            cursor.pointee.row = Int(row)
            if try !each(storeRow) { return }
            guard index + 1 < rows.count else { return }
            try interruption.check()
            try interruption.check(afterRow: index)
        }
    }

    @inline(never)
    private func visit(
        _ rowCells: UnsafeMutableBufferPointer<StoreCell>, _ arena: UnsafeRawBufferPointer,
        _ interruption: StatementInterruption, to each: (borrowing StoreRow) throws -> Bool
    ) throws {
        let storeRow = StoreRow(columnNames: names, cells: UnsafeBufferPointer(rowCells))
        for row in 0..<rowCount {
            fill(rowCells, row, arena)
            if try !each(storeRow) { return }
            // After the last row the query is done: an interrupt that comes then has no effect.
            guard row + 1 < rowCount else { return }
            try interruption.check()
            try interruption.check(afterRow: row)
        }
    }

    /// The values of a row.
    func values(row: Int) -> [SQLValue] {
        if let shared {
            return shared.snapshot.values(row: Int(shared.rows[row]))
        }
        return buffers.cells[(row * names.count)..<((row + 1) * names.count)].map { cell in
            switch cell.kind {
            case .null: .null
            case .integer: .integer(cell.integer)
            case .real: .real(cell.real)
            case .text: .text(buffers.arena[cell.offset..<cell.offset + cell.count])
            case .blob: .blob(buffers.arena[cell.offset..<cell.offset + cell.count])
            }
        }
    }

    private func fill(_ rowCells: UnsafeMutableBufferPointer<StoreCell>, _ row: Int, _ arena: UnsafeRawBufferPointer) {
        for column in rowCells.indices {
            let cell = buffers.cells[row * rowCells.count + column]
            let isText = cell.kind == .text || cell.kind == .blob
            rowCells[column] = StoreCell(
                kind: cell.kind, bits: isText ? UInt64(cell.count) : cell.bits,
                start: isText ? arena.baseAddress.map { $0 + cell.offset } : nil)
        }
    }
}
