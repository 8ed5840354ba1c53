import Foundation

/// The rows of an answer. It is made as a whole, so that nobody who reads it keeps the store waiting.
struct MemoryAnswer {
    let names: [String]
    private(set) var rowCount = 0
    /// Row by row; texts and blobs lie in the arena.
    private var cells: [RowBatch.Cell] = []
    private var arena: [UInt8] = []

    init(names: [String]) { self.names = names }

    mutating func reserve(_ rows: Int) { cells.reserveCapacity(rows * names.count) }

    /// Ends a row, to which a cell was added for every column.
    mutating func endRow() { rowCount += 1 }

    mutating func append(_ value: SQLValue) throws(StoreError) {
        switch value {
        case .null: cells.append(RowBatch.Cell(bits: 0, kind: .null))
        case .integer(let number): cells.append(RowBatch.Cell(bits: UInt64(bitPattern: number), kind: .integer))
        case .real(let number): cells.append(RowBatch.Cell(bits: number.bitPattern, kind: .real))
        case .text(let bytes): try bytes.withBytes { bytes throws(StoreError) in try append(bytes, .text) }
        case .blob(let bytes): try bytes.withBytes { bytes throws(StoreError) in try append(bytes, .blob) }
        }
    }

    mutating func append(_ number: Int64) {
        cells.append(RowBatch.Cell(bits: UInt64(bitPattern: number), kind: .integer))
    }

    /// Adds a cell of a column.
    @inline(__always)
    mutating func append(_ column: borrowing MemoryColumn, _ row: Int) throws(StoreError) {
        let cell = column.cell(at: row)
        guard cell.kind == .text || cell.kind == .blob else { return cells.append(cell) }
        try column.arena.withBytes { arena throws(StoreError) in
            try append(UnsafeRawBufferPointer(rebasing: arena[cell.offset..<cell.offset + cell.count]), cell.kind)
        }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer, _ kind: StoreValue.Kind) throws(StoreError) {
        guard arena.count + bytes.count <= Int(UInt32.max) else {
            throw StoreError(.tooLarge, "An answer holds at most 4 GiB of text and blobs; ask for fewer rows.")
        }
        cells.append(RowBatch.Cell(bits: UInt64(arena.count) << 32 | UInt64(bytes.count), kind: kind))
        arena.append(contentsOf: bytes)
    }

    /// Hands over the rows until there is none left or `each` says false.
    func forEach(_ each: (borrowing StoreRow) throws -> Bool) throws {
        guard rowCount > 0 else { return }
        try withUnsafeTemporaryAllocation(of: StoreCell.self, capacity: names.count) { line in
            line.initialize(repeating: .null)
            try arena.withUnsafeBytes { arena in
                for row in 0..<rowCount {
                    fill(line, row, arena)
                    if try !lend(UnsafeBufferPointer(line), to: each) { return }
                }
            }
        }
    }

    /// Never inlined: the optimizer of Swift 6.3 crashes when a row that cannot be copied is made in nested closures.
    @inline(never)
    private func lend(
        _ line: UnsafeBufferPointer<StoreCell>, to each: (borrowing StoreRow) throws -> Bool
    ) throws -> Bool {
        try each(StoreRow(columnNames: names, cells: line))
    }

    /// The rows as JSON.
    func json() throws(StoreError) -> Data {
        var writer = try JSONRowWriter()
        do {
            try forEach { row in
                try writer.append(row)
                return true
            }
        } catch {
            throw error as? StoreError ?? StoreError(.failed, "The answer cannot be written as JSON.")
        }
        return try writer.data()
    }

    /// The values of a row.
    func values(row: Int) -> [SQLValue] {
        cells[(row * names.count)..<((row + 1) * names.count)].map { cell in
            switch cell.kind {
            case .null: .null
            case .integer: .integer(cell.integer)
            case .real: .real(cell.real)
            case .text: .text(arena[cell.offset..<cell.offset + cell.count])
            case .blob: .blob(arena[cell.offset..<cell.offset + cell.count])
            }
        }
    }

    private func fill(_ line: UnsafeMutableBufferPointer<StoreCell>, _ row: Int, _ arena: UnsafeRawBufferPointer) {
        for column in line.indices {
            let cell = cells[row * line.count + column]
            let isText = cell.kind == .text || cell.kind == .blob
            line[column] = StoreCell(
                kind: cell.kind, bits: isText ? UInt64(cell.count) : cell.bits,
                start: isText ? arena.baseAddress.map { $0 + cell.offset } : nil)
        }
    }
}
