/// Takes the rows of a stream, cell by cell: a ``RowBatch``, or a value of your own.
///
/// *Implement* it without keeping the bytes of a text: they are there only during the call. A row starts with null in
/// every cell; only the others are set, in the order of the columns. Only whole rows come.
public protocol RowSink {
    /// Begins the next row.
    mutating func beginRow()
    /// Sets a cell to a whole number.
    /// - Parameter index: the column's place, from 0; so with the other setters.
    /// - Throws: to end the reading; it then ends with this error.
    mutating func set(integer value: Int64, at index: Int) throws(StoreError)
    /// Sets a cell to a floating point number.
    mutating func set(real value: Double, at index: Int) throws(StoreError)
    /// Sets a cell to text, given as valid UTF-8.
    mutating func set(utf8 bytes: UnsafeRawBufferPointer, at index: Int) throws(StoreError)
}

extension RowBatch: RowSink {}
