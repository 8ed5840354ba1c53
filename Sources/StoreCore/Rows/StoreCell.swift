/// Borrowed cell of a row: its storage class, and a number or a pointer to bytes.
///
/// A store without a native row format fills one for each column, in memory that it reuses for the next row.
@usableFromInline
package struct StoreCell {
    @usableFromInline package var kind: StoreValue.Kind
    /// The bits of the number, or the length of the text or blob in bytes.
    @usableFromInline package var bits: UInt64
    /// Start of the text or blob; nil when it is empty or the cell is of another class.
    @usableFromInline package var start: UnsafeRawPointer?

    @inlinable
    package init(kind: StoreValue.Kind, bits: UInt64, start: UnsafeRawPointer?) {
        self.kind = kind
        self.bits = bits
        self.start = start
    }

    @inlinable
    package static var null: StoreCell { StoreCell(kind: .null, bits: 0, start: nil) }

    @inlinable
    package static func integer(_ value: Int64) -> StoreCell {
        StoreCell(kind: .integer, bits: UInt64(bitPattern: value), start: nil)
    }

    @inlinable
    package static func real(_ value: Double) -> StoreCell {
        StoreCell(kind: .real, bits: value.bitPattern, start: nil)
    }

    /// Text as UTF-8. The bytes must stay valid until the row has been read.
    @inlinable
    package static func text(_ bytes: UnsafeRawBufferPointer) -> StoreCell {
        StoreCell(kind: .text, bits: UInt64(bytes.count), start: bytes.baseAddress)
    }

    /// A blob. The bytes must stay valid until the row has been read.
    @inlinable
    package static func blob(_ bytes: UnsafeRawBufferPointer) -> StoreCell {
        StoreCell(kind: .blob, bits: UInt64(bytes.count), start: bytes.baseAddress)
    }

    /// The bytes of the text or blob; none for other cells.
    @inlinable
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(truncatingIfNeeded: bits))
    }
}
