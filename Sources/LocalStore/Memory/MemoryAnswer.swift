import Foundation

/// The rows of an answer. It is made as a whole, so that nobody who reads it keeps the store waiting.
///
/// A few rows are copied. Many share the memory of their table: if that is changed while they are read, the table
/// leaves its memory to them and goes on in a copy.
struct MemoryAnswer {
    /// What the rows lie in. It can serve one answer after the other.
    struct Room {
        /// Row by row; texts and blobs lie in the arena.
        fileprivate var cells: [RowBatch.Cell] = []
        fileprivate var arena: [UInt8] = []

        /// How many cells, or bytes, are kept for the next answer.
        private static let most = 4096

        fileprivate mutating func removeAll() {
            cells.removeAll(keepingCapacity: cells.capacity <= Self.most)
            arena.removeAll(keepingCapacity: arena.capacity <= Self.most)
        }
    }

    let names: [String]
    private(set) var rowCount = 0
    private var room = Room()
    private var shared: (view: MemoryView, rows: [Int32])?

    init(names: [String]) { self.names = names }

    /// Gives back the room of this answer, emptied, and takes another one. Its rows are gone.
    mutating func exchange(_ other: inout Room) {
        rowCount = 0
        shared = nil
        room.removeAll()
        // Neither is copied, which would cost as much as a room saves.
        swap(&room, &other)
    }

    /// An answer whose rows stay where they are.
    init(names: [String], _ view: MemoryView, rows: [Int32]) {
        self.names = names
        rowCount = rows.count
        shared = (view, rows)
    }

    /// True when so many rows of a table are better shared than copied: a change that comes between costs a copy of the
    /// table, so that it should not be much larger than the answer.
    static func shares(_ rows: Int, of places: Int) -> Bool { rows >= 64 && rows >= places / 16 }

    mutating func reserve(_ rows: Int) { room.cells.reserveCapacity(rows * names.count) }

    /// Ends a row, to which a cell was added for every column.
    mutating func endRow() { rowCount += 1 }

    mutating func append(_ value: SQLValue) throws(StoreError) {
        switch value {
        case .null: room.cells.append(RowBatch.Cell(bits: 0, kind: .null))
        case .integer(let number): room.cells.append(RowBatch.Cell(bits: UInt64(bitPattern: number), kind: .integer))
        case .real(let number): room.cells.append(RowBatch.Cell(bits: number.bitPattern, kind: .real))
        case .text(let bytes): try bytes.withBytes { bytes throws(StoreError) in try append(bytes, .text) }
        case .blob(let bytes): try bytes.withBytes { bytes throws(StoreError) in try append(bytes, .blob) }
        }
    }

    mutating func append(_ number: Int64) {
        room.cells.append(RowBatch.Cell(bits: UInt64(bitPattern: number), kind: .integer))
    }

    /// Adds a cell, and copies its bytes.
    @inline(__always)
    mutating func append(_ cell: StoreCell) throws(StoreError) {
        guard cell.kind == .text || cell.kind == .blob else {
            return room.cells.append(RowBatch.Cell(bits: cell.bits, kind: cell.kind))
        }
        try append(cell.bytes, cell.kind)
    }

    /// Adds a cell of a column, whose bytes come later.
    @inline(__always)
    mutating func append(_ cell: RowBatch.Cell) { room.cells.append(cell) }

    /// Copies the bytes of a cell of the first row, if it has any, from its column's arena.
    @inline(__always)
    mutating func copyBytes(ofCell place: Int, from column: [UInt8]) throws(StoreError) {
        let cell = room.cells[place]
        guard cell.kind == .text || cell.kind == .blob else { return }
        room.cells[place].bits = UInt64(room.arena.count) << 32 | UInt64(cell.count)
        try column.withBytes { bytes throws(StoreError) in try keep(cell.bytes(in: bytes)) }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer, _ kind: StoreValue.Kind) throws(StoreError) {
        room.cells.append(RowBatch.Cell(bits: UInt64(room.arena.count) << 32 | UInt64(bytes.count), kind: kind))
        try keep(bytes)
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        guard room.arena.count + bytes.count <= Int(UInt32.max) else {
            throw StoreError(.tooLarge, "Result set exceeds 4 GiB of text and blobs; select fewer rows.")
        }
        room.arena.append(contentsOf: bytes)
    }

    /// Hands over the rows until there is none left or `each` says false.
    func forEach(_ each: (borrowing StoreRow) throws -> Bool) throws {
        guard rowCount > 0 else { return }
        if let shared {
            return try shared.view.lend { columns in
                var cursor = MemoryCursor(columns: columns, row: 0)
                try lend(&cursor, shared.rows, to: each)
            }
        }
        try withUnsafeTemporaryAllocation(of: StoreCell.self, capacity: names.count) { line in
            line.initialize(repeating: .null)
            try room.arena.withUnsafeBytes { arena in try lend(line, arena, to: each) }
        }
    }

    // Never inlined: the optimizer of Swift 6.3 crashes when a row that cannot be copied is made in nested closures.

    @inline(never)
    private func lend(
        _ cursor: UnsafeMutablePointer<MemoryCursor>, _ rows: [Int32], to each: (borrowing StoreRow) throws -> Bool
    ) throws {
        let line = StoreRow(columnNames: names, UnsafePointer(cursor))
        for row in rows {
            cursor.pointee.row = Int(row)
            if try !each(line) { return }
        }
    }

    @inline(never)
    private func lend(
        _ line: UnsafeMutableBufferPointer<StoreCell>, _ arena: UnsafeRawBufferPointer,
        to each: (borrowing StoreRow) throws -> Bool
    ) throws {
        let lent = StoreRow(columnNames: names, cells: UnsafeBufferPointer(line))
        for row in 0..<rowCount {
            fill(line, row, arena)
            if try !each(lent) { return }
        }
    }

    /// The rows as JSON.
    func json() throws(StoreError) -> Data { try JSONRowWriter.json { try forEach($0) } }

    /// The values of a row.
    func values(row: Int) -> [SQLValue] {
        if let shared {
            return shared.view.lend { columns in columns.map { SQLValue($0.cell(at: Int(shared.rows[row]))) } }
        }
        return room.cells[(row * names.count)..<((row + 1) * names.count)].map { cell in
            switch cell.kind {
            case .null: .null
            case .integer: .integer(cell.integer)
            case .real: .real(cell.real)
            case .text: .text(room.arena[cell.offset..<cell.offset + cell.count])
            case .blob: .blob(room.arena[cell.offset..<cell.offset + cell.count])
            }
        }
    }

    private func fill(_ line: UnsafeMutableBufferPointer<StoreCell>, _ row: Int, _ arena: UnsafeRawBufferPointer) {
        for column in line.indices {
            let cell = room.cells[row * line.count + column]
            let isText = cell.kind == .text || cell.kind == .blob
            line[column] = StoreCell(
                kind: cell.kind, bits: isText ? UInt64(cell.count) : cell.bits,
                start: isText ? arena.baseAddress.map { $0 + cell.offset } : nil)
        }
    }
}
