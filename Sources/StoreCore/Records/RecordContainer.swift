/// Container of a record's keys, which sets the cells of a row.
///
/// Nil is null, also in `encodeIfPresent`.
struct RecordContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let row: RowEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {
        if let column = try row.column(key.stringValue) { try row.setNull(at: column) }
    }

    func encode(_ value: Bool, forKey key: Key) throws { try set(Int64(value ? 1 : 0), key) }
    func encode(_ value: Int, forKey key: Key) throws { try set(Int64(value), key) }
    func encode(_ value: Int8, forKey key: Key) throws { try set(Int64(value), key) }
    func encode(_ value: Int16, forKey key: Key) throws { try set(Int64(value), key) }
    func encode(_ value: Int32, forKey key: Key) throws { try set(Int64(value), key) }
    func encode(_ value: Int64, forKey key: Key) throws { try set(value, key) }
    func encode(_ value: UInt, forKey key: Key) throws { try set(exactly: value, key) }
    func encode(_ value: UInt8, forKey key: Key) throws { try set(Int64(value), key) }
    func encode(_ value: UInt16, forKey key: Key) throws { try set(Int64(value), key) }
    func encode(_ value: UInt32, forKey key: Key) throws { try set(Int64(value), key) }
    func encode(_ value: UInt64, forKey key: Key) throws { try set(exactly: value, key) }
    func encode(_ value: Int128, forKey key: Key) throws { try set(exactly: value, key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try set(exactly: value, key) }
    func encode(_ value: Float, forKey key: Key) throws { try encode(Double(value), forKey: key) }

    func encode(_ value: Double, forKey key: Key) throws {
        if let column = try row.column(key.stringValue) { try row.set(value, at: column) }
    }

    func encode(_ value: String, forKey key: Key) throws {
        if let column = try row.column(key.stringValue) { try row.set(value, at: column) }
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        if let column = try row.column(key.stringValue) { try row.set(value, at: column) }
    }

    private func set(_ value: Int64, _ key: Key) throws {
        if let column = try row.column(key.stringValue) { try row.set(value, at: column) }
    }

    private func set(exactly value: some BinaryInteger, _ key: Key) throws {
        if let column = try row.column(key.stringValue) { try row.set(exactly: value, at: column) }
    }

    // MARK: Optional values

    @inline(__always)
    private func set<Value>(_ value: Value?, _ key: Key, _ encode: (Value, Key) throws -> Void) throws {
        if let value { try encode(value, key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }
    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws { try set(value, key, encode(_:forKey:)) }

    // MARK: Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(RefusingKeyedContainer(error: refuse(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        RefusingContainer(error: refuse(key))
    }

    /// The row: the columns of a superclass are beside those of its subclass.
    func superEncoder() -> any Encoder { RecordEncoder(row: row) }
    func superEncoder(forKey key: Key) -> any Encoder { RefusingEncoder(error: refuse(key)) }

    private func refuse(_ key: Key) -> StoreError {
        let refusal = row.refused(
            "it makes a nested container for key \(key.stringValue); encode a nested value instead")
        row.refusal = refusal
        return refusal
    }
}
