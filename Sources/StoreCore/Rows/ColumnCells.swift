/// Borrowed cells of one column of a table that is stored by columns: pointers to its arrays.
///
/// Reading through them skips retains and bounds checks.
@usableFromInline
package struct ColumnCells {
    /// Storage classes, as raw values of ``StoreValue/Kind``; nil if all cells are integers.
    @usableFromInline package let kinds: UnsafePointer<UInt8>?
    /// For each row the number itself, or the offset and the length of a text or blob as in ``RowBatch/Cell``.
    @usableFromInline package let bits: UnsafePointer<UInt64>?
    /// The bytes of all texts and blobs.
    @usableFromInline package let arena: UnsafeRawPointer?

    @inlinable
    package init(kinds: UnsafePointer<UInt8>?, bits: UnsafePointer<UInt64>?, arena: UnsafeRawPointer?) {
        self.kinds = kinds
        self.bits = bits
        self.arena = arena
    }

    /// The cell of a row; `row` is not checked.
    @inlinable
    @inline(__always)
    package func cell(at row: Int) -> StoreCell {
        guard let bits = bits?[row] else { return .null }
        guard let kinds else { return StoreCell(kind: .integer, bits: bits, start: nil) }
        let kind = StoreValue.Kind(rawValue: kinds[row]) ?? .null
        guard kind == .text || kind == .blob else { return StoreCell(kind: kind, bits: bits, start: nil) }
        let cell = RowBatch.Cell(bits: bits, kind: kind)
        return StoreCell(kind: kind, bits: UInt64(cell.count), start: arena.map { $0 + cell.offset })
    }
}
