extension StoreRow {
    /// Decodes the row; see ``LocalStore/rows(as:_:coding:)``, which is faster for many rows.
    /// - Throws: what that call throws.
    public func decode<Record: Decodable>(
        _ type: Record.Type, coding: StoreCoding = StoreCoding()
    ) throws -> Record {
        try RecordReader<Record>(coding, numbersRows: false).record(self)
    }

    /// Decodes a cell, as ``LocalStore/value(of:_:coding:)`` does.
    /// - Parameter index: the column's index, from 0. Null needs an optional type.
    /// - Throws: ``StoreError``: `undecodable` when the cell is not a value of the type, or the index is out of range.
    public func value<Value: Decodable>(
        of type: Value.Type, at index: Int, coding: StoreCoding = StoreCoding()
    ) throws -> Value {
        // Without a decoder where none is needed, and for its errors.
        if let scalar = ScalarType(type), let value = try? cell(at: index).value(scalar, as: type, coding) {
            return value
        }
        return try RecordReader<Value>(coding, numbersRows: false).value(self, at: index)
    }

    /// Decodes the cell of a column by name.
    /// - Throws: ``StoreError``: `undecodable` when the cell is not a value of the type; `noSuchColumn`.
    public func value<Value: Decodable>(
        of type: Value.Type, at column: String, coding: StoreCoding = StoreCoding()
    ) throws -> Value {
        guard let index = index(of: column) else {
            throw StoreError(.noSuchColumn, "Row has no column \"\(column)\"; select it.")
        }
        return try value(of: type, at: index, coding: coding)
    }
}
