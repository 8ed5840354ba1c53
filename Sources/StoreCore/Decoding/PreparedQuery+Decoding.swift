extension PreparedQuery {
    /// Runs the statement and decodes its rows; see ``LocalStore/rows(as:_:coding:)``.
    /// - Parameter parameters: one value for each parameter; nil is null. The other calls take the same.
    /// - Throws: what ``LocalStore/rows(as:_:coding:)`` and `query(_:each:)` throw. The other calls throw the same.
    public func rows<Record: Decodable>(
        as type: Record.Type, _ parameters: [(any StoreValueConvertible)?] = [], coding: StoreCoding = StoreCoding()
    ) throws -> [Record] {
        try RecordReader.records(coding) { try query(parameters.map(\.storeValue), each: $0) }
    }

    /// Runs the statement and decodes its first row; nil when there is none.
    public func first<Record: Decodable>(
        as type: Record.Type, _ parameters: [(any StoreValueConvertible)?] = [], coding: StoreCoding = StoreCoding()
    ) throws -> Record? {
        try RecordReader.firstRecord(coding) { try query(parameters.map(\.storeValue), each: $0) }
    }

    /// Runs the statement and returns the first column of its first row; nil when there is no row, or it is null.
    public func value<Value: Decodable>(
        of type: Value.Type, _ parameters: [(any StoreValueConvertible)?] = [], coding: StoreCoding = StoreCoding()
    ) throws -> Value? {
        try RecordReader.firstValue(coding) { try query(parameters.map(\.storeValue), each: $0) }
    }

    /// Runs the statement and returns the first column of its rows.
    public func values<Value: Decodable>(
        of type: Value.Type, _ parameters: [(any StoreValueConvertible)?] = [], coding: StoreCoding = StoreCoding()
    ) throws -> [Value] {
        try RecordReader.values(coding) { try query(parameters.map(\.storeValue), each: $0) }
    }
}
