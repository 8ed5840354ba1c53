import StoreCore

/// Copies of many columns in three arrays: one scope has the pointers to all of them.
struct ColumnCopies {
    /// Offsets of a column in ``bits`` and, nil for the rowid, in ``kinds`` and ``arena``.
    private struct Offsets {
        let bits: Int
        let kinds: Int?
        let arena: Int
    }

    private var offsets: [Offsets] = []
    private var kinds: [UInt8] = []
    private var bits: [UInt64] = []
    private var arena: [UInt8] = []

    /// - Parameter columns: nil for the rowid.
    init(_ columns: ArraySlice<MemoryColumn?>, rowids: [Int64]) {
        for column in columns {
            offsets.append(Offsets(bits: bits.count, kinds: column.map { _ in kinds.count }, arena: arena.count))
            guard let column else {
                bits += rowids.lazy.map { UInt64(bitPattern: $0) }
                continue
            }
            kinds += column.kinds
            bits += column.bits
            arena += column.arena
        }
    }

    /// Calls `body` with other cells and those of the copies. They are valid until it returns.
    func withCells<Result, Failure: Error>(
        after others: [ColumnCells], _ body: (UnsafeBufferPointer<ColumnCells>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try kinds.withUnsafeBufferPointer { kinds throws(Failure) in
            try bits.withUnsafeBufferPointer { bits throws(Failure) in
                try arena.withBytes { arena throws(Failure) in
                    var cells = others
                    for offset in offsets {
                        cells.append(
                            ColumnCells(
                                kinds: offset.kinds.flatMap { kinds.baseAddress?.advanced(by: $0) },
                                bits: bits.baseAddress?.advanced(by: offset.bits),
                                arena: arena.baseAddress?.advanced(by: offset.arena)))
                    }
                    return try cells.withUnsafeBufferPointer(body)
                }
            }
        }
    }
}
