/// Encoder that throws one error for any value.
struct RefusingEncoder: Encoder {
    let error: any Error
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RefusingKeyedContainer(error: error))
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingContainer(error: error) }
    func singleValueContainer() -> any SingleValueEncodingContainer { RefusingContainer(error: error) }
}

/// Keyed container that throws one error for any value.
struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let error: any Error
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { throw error }
    func encode(_ value: some Encodable, forKey key: Key) throws { throw error }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(RefusingKeyedContainer<NestedKey>(error: error))
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingContainer(error: error) }
    func superEncoder() -> any Encoder { RefusingEncoder(error: error) }
    func superEncoder(forKey key: Key) -> any Encoder { RefusingEncoder(error: error) }
}

/// Container of elements or of a single value that throws one error for any value.
struct RefusingContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let error: any Error
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws { throw error }
    func encode(_ value: some Encodable) throws { throw error }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(RefusingKeyedContainer(error: error))
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { RefusingEncoder(error: error) }
}
