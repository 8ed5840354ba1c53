/// Encoder of a record: its keys are the columns of a row.
struct RecordEncoder: Encoder {
    let row: RowEncoder

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RecordContainer(row: row))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let refusal = row.refused("it is a list; pass its elements")
        row.refusal = refusal
        return RefusingContainer(error: refusal)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleRecordContainer(row: row) }
}

/// Container of a record that is encoded as another record.
struct SingleRecordContainer: SingleValueEncodingContainer {
    let row: RowEncoder
    var codingPath: [any CodingKey] { [] }

    private func refuse() throws { throw row.refused("it is a single value; use a type with a key for each column") }

    func encodeNil() throws { try refuse() }
    func encode(_ value: Bool) throws { try refuse() }
    func encode(_ value: String) throws { try refuse() }
    func encode(_ value: Double) throws { try refuse() }
    func encode(_ value: Float) throws { try refuse() }
    func encode(_ value: Int) throws { try refuse() }
    func encode(_ value: Int8) throws { try refuse() }
    func encode(_ value: Int16) throws { try refuse() }
    func encode(_ value: Int32) throws { try refuse() }
    func encode(_ value: Int64) throws { try refuse() }
    func encode(_ value: UInt) throws { try refuse() }
    func encode(_ value: UInt8) throws { try refuse() }
    func encode(_ value: UInt16) throws { try refuse() }
    func encode(_ value: UInt32) throws { try refuse() }
    func encode(_ value: UInt64) throws { try refuse() }
    func encode(_ value: Int128) throws { try refuse() }
    func encode(_ value: UInt128) throws { try refuse() }
    func encode(_ value: some Encodable) throws { try value.encode(to: RecordEncoder(row: row)) }
}
