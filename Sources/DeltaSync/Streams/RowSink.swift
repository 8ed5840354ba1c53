public import StoreCore

/// Receiver of parsed rows, cell by cell: a ``/StoreCore/RowBatch`` or your own type.
///
/// *Implement* it without storing a text's buffer, which is valid only during the call. Cells start as null; only the
/// others are set, in column order. Only complete rows are delivered.
public protocol RowSink {
    /// Begins the next row.
    mutating func beginRow()
    /// Sets a cell to an integer.
    /// - Parameter index: the column's index, from 0. The other setters take the same.
    /// - Throws: stops the parser with this error.
    mutating func set(integer value: Int64, at index: Int) throws(StoreError)
    /// Sets a cell to a floating point number.
    mutating func set(real value: Double, at index: Int) throws(StoreError)
    /// Sets a cell to text, as valid UTF-8.
    mutating func set(utf8 bytes: UnsafeRawBufferPointer, at index: Int) throws(StoreError)
}

extension RowBatch: RowSink {}
