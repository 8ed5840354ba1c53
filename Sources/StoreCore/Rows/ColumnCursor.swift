/// Current row of a table that is stored by columns.
///
/// It is in this module, beside ``StoreRow``, so that reading a cell is inlined there.
@usableFromInline
package struct ColumnCursor {
    @usableFromInline package let columns: UnsafeBufferPointer<ColumnCells>
    @usableFromInline package var row: Int

    @inlinable
    package init(columns: UnsafeBufferPointer<ColumnCells>, row: Int) {
        self.columns = columns
        self.row = row
    }

    /// A borrowed cell; the index must be valid.
    @inline(__always)
    func cell(at index: Int) -> StoreCell { columns[index].cell(at: row) }
}
