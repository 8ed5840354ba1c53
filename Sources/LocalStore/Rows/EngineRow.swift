/// Current row of a database engine outside this module, read cell by cell through C functions.
///
/// It has no reference-counted members, so reading a cell costs one indirect call.
package struct EngineRow {
    /// Returns the storage class of a cell.
    package typealias ReadKind = @convention(c) (_ row: UnsafeRawPointer, _ index: Int) -> StoreValue.Kind.RawValue
    /// Writes a borrowed cell to `cell`, which points to a ``StoreCell``. Its bytes are valid until the next row.
    package typealias ReadCell =
        @convention(c) (
            _ row: UnsafeRawPointer, _ index: Int, _ cell: UnsafeMutableRawPointer
        ) -> Void

    private let row: UnsafeRawPointer
    private let readKind: ReadKind
    private let readCell: ReadCell

    /// - Parameter row: the first argument of the functions; must stay valid until the rows have been read.
    package init(_ row: UnsafeRawPointer, kind: ReadKind, cell: ReadCell) {
        self.row = row
        readKind = kind
        readCell = cell
    }

    /// The storage class of a cell; the index must be valid.
    @inline(__always)
    func kind(at index: Int) -> StoreValue.Kind { StoreValue.Kind(rawValue: readKind(row, index)) ?? .null }

    /// A borrowed cell; the index must be valid.
    @inline(__always)
    func cell(at index: Int) -> StoreCell {
        var cell = StoreCell.null
        withUnsafeMutablePointer(to: &cell) { readCell(row, index, $0) }
        return cell
    }
}
