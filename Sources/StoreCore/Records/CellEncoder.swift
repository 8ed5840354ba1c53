/// Encoder of one cell, for a single value such as that of an enum.
///
/// A value with keys or elements throws ``NestedValue``.
struct CellEncoder: Encoder {
    /// Thrown for a value with keys or elements, which is then encoded as JSON.
    struct NestedValue: Error {}

    let row: RowEncoder
    let column: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        row.isNested = true
        return KeyedEncodingContainer(RefusingKeyedContainer(error: NestedValue()))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        row.isNested = true
        return RefusingContainer(error: NestedValue())
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { CellContainer(row: row, column: column) }
}

/// Container of a single value.
struct CellContainer: SingleValueEncodingContainer {
    let row: RowEncoder
    let column: Int
    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws { try row.setNull(at: column) }
    func encode(_ value: Bool) throws { try row.set(Int64(value ? 1 : 0), at: column) }
    func encode(_ value: String) throws { try row.set(value, at: column) }
    func encode(_ value: Double) throws { try row.set(value, at: column) }
    func encode(_ value: Float) throws { try row.set(Double(value), at: column) }
    func encode(_ value: Int) throws { try row.set(Int64(value), at: column) }
    func encode(_ value: Int8) throws { try row.set(Int64(value), at: column) }
    func encode(_ value: Int16) throws { try row.set(Int64(value), at: column) }
    func encode(_ value: Int32) throws { try row.set(Int64(value), at: column) }
    func encode(_ value: Int64) throws { try row.set(value, at: column) }
    func encode(_ value: UInt) throws { try row.set(exactly: value, at: column) }
    func encode(_ value: UInt8) throws { try row.set(Int64(value), at: column) }
    func encode(_ value: UInt16) throws { try row.set(Int64(value), at: column) }
    func encode(_ value: UInt32) throws { try row.set(Int64(value), at: column) }
    func encode(_ value: UInt64) throws { try row.set(exactly: value, at: column) }
    func encode(_ value: Int128) throws { try row.set(exactly: value, at: column) }
    func encode(_ value: UInt128) throws { try row.set(exactly: value, at: column) }
    func encode(_ value: some Encodable) throws { try row.set(value, at: column) }
}
