/// The values of a row by key.
///
/// Each type has its own methods: the default ones look up a key up to three times.
struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let row: RowDecoder

    init(_ row: RowDecoder) { self.row = row }

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { row.allKeys() }

    func contains(_ key: Key) -> Bool { (try? row.optionalColumn(key.stringValue)) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        row.cell(at: try row.column(key.stringValue, for: nil)).kind == .null
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let column = try row.column(key.stringValue, for: type)
        return try row.value(type, row.cell(at: column), at: column)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let column = try row.optionalColumn(key.stringValue) else { return nil }
        let cell = row.cell(at: column)
        return cell.kind == .null ? nil : try row.value(type, cell, at: column)
    }

    /// Keys of a JSON object in the key's column.
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    /// Elements of a JSON array in the key's column.
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    /// The row: the columns of a superclass are beside those of its subclass.
    func superDecoder() -> any Decoder { row }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        CellDecoder(row, try row.column(key.stringValue, for: nil))
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try row.scalar(type, key.stringValue) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try row.scalar(type, key.stringValue) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try row.scalar(type, key.stringValue) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try row.scalar(type, key.stringValue) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try row.scalar(type, key.stringValue) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try row.scalar(type, key.stringValue) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try row.scalar(type, key.stringValue) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try row.scalar(type, key.stringValue) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try row.scalar(type, key.stringValue) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try row.scalar(type, key.stringValue) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try row.scalar(type, key.stringValue) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try row.scalar(type, key.stringValue) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try row.scalar(type, key.stringValue) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try row.scalar(type, key.stringValue) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try row.scalar(type, key.stringValue) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try row.scalar(type, key.stringValue) }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try row.optionalScalar(type, key.stringValue)
    }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try row.optionalScalar(type, key.stringValue)
    }
}
