/// A cell of a row that is being read: its class, and the number or where the bytes lie.
///
/// A store that has no better form for its rows fills one of these for each column, in memory that it uses again for
/// the next row.
package struct StoreCell {
    package var kind: StoreValue.Kind
    /// The number's bits; or how many bytes the text or blob has.
    package var bits: UInt64
    /// Where the text or blob lies; nil when it is empty, or none.
    package var start: UnsafeRawPointer?

    package static var null: StoreCell { StoreCell(kind: .null, bits: 0, start: nil) }

    package static func integer(_ value: Int64) -> StoreCell {
        StoreCell(kind: .integer, bits: UInt64(bitPattern: value), start: nil)
    }

    package static func real(_ value: Double) -> StoreCell {
        StoreCell(kind: .real, bits: value.bitPattern, start: nil)
    }

    /// Text as UTF-8. The bytes must stay where they are until the row was read.
    package static func text(_ bytes: UnsafeRawBufferPointer) -> StoreCell {
        StoreCell(kind: .text, bits: UInt64(bytes.count), start: bytes.baseAddress)
    }

    /// Bytes. They must stay where they are until the row was read.
    package static func blob(_ bytes: UnsafeRawBufferPointer) -> StoreCell {
        StoreCell(kind: .blob, bits: UInt64(bytes.count), start: bytes.baseAddress)
    }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(truncatingIfNeeded: bits))
    }
}
