/// Container of the members of an object of a tape.
struct TapeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let tape: JSONTape
    let object: Int
    /// What ``JSONTape/prepare(_:)`` returned.
    private let filter: UInt64

    /// - Throws: `DecodingError` if the value is not an object.
    init(_ tape: JSONTape, _ position: TapePosition) throws {
        guard tape.entries[position.index].kind == .object else {
            throw tape.mismatch([String: Any].self, at: position)
        }
        filter = tape.prepare(position.index)
        self.tape = tape
        object = position.index
    }

    var codingPath: [any CodingKey] { tape.path(toContainer: object) }

    var allKeys: [Key] {
        var keys: [Key] = []
        keys.reserveCapacity(tape.entries[object].count)
        tape.forEachName(of: object) { name in
            if let key = Key(stringValue: name) { keys.append(key) }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { tape.member(key.stringValue, of: object, filter: filter) != 0 }

    /// The position of a member's value.
    @inline(__always)
    func position(of key: Key) throws -> TapePosition {
        let index = tape.member(key.stringValue, of: object, filter: filter)
        guard index != 0 else { throw missing(key) }
        return TapePosition(index: index, container: object, ordinal: 0)
    }

    /// The position of a member's value; nil if there is none, or it is null.
    @inline(__always)
    func positionIfPresent(of key: Key) -> TapePosition? {
        let index = tape.member(key.stringValue, of: object, filter: filter)
        // Entry 0 is null.
        guard tape.entries[index].kind != .null else { return nil }
        return TapePosition(index: index, container: object, ordinal: 0)
    }

    /// Reads the value of a member.
    @inline(__always)
    func value<Value>(_ key: Key, _ read: (JSONTape, TapePosition) throws -> Value) throws -> Value {
        let position = try position(of: key)
        do { return try read(tape, position) } catch { throw naming(key, in: error) }
    }

    /// Reads the value of a member; nil if there is none, or it is null.
    @inline(__always)
    func valueIfPresent<Value>(_ key: Key, _ read: (JSONTape, TapePosition) throws -> Value) throws -> Value? {
        guard let position = positionIfPresent(of: key) else { return nil }
        do { return try read(tape, position) } catch { throw naming(key, in: error) }
    }

    /// The error with the type's own key in its path, in place of one with the same name: each container adds its key.
    @inline(never)
    private func naming(_ key: Key, in error: any Error) -> any Error {
        (error as? DecodingError)?.replacingKey(at: codingPath.count, by: key) ?? error
    }

    @inline(never)
    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "No value associated with key \(key) (\"\(key.stringValue)\").",
                underlyingError: JSONOffset(offset: tape.offset(of: object))))
    }

    func decodeNil(forKey key: Key) throws -> Bool { tape.entries[try position(of: key).index].kind == .null }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key) { try $0.bool(at: $1) } }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key) { try $0.string(at: $1) } }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key) { try $0.double(at: $1) } }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key) { try $0.float(at: $1) } }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try value(key) { try $0.value(type, at: $1) }
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try valueIfPresent(key) { try $0.bool(at: $1) }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try valueIfPresent(key) { try $0.string(at: $1) }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try valueIfPresent(key) { try $0.double(at: $1) }
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try valueIfPresent(key) { try $0.float(at: $1) }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try valueIfPresent(key) { try $0.value(type, at: $1) }
    }

    // MARK: Nested

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try value(key) { KeyedDecodingContainer(try TapeKeyedContainer<Nested>($0, $1)) }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try value(key) { try TapeUnkeyedContainer($0, $1) }
    }

    func superDecoder() -> any Decoder { superDecoder(at: JSONKey.super) }
    func superDecoder(forKey key: Key) -> any Decoder { superDecoder(at: key) }

    /// A decoder of a member, of null if there is none.
    private func superDecoder(at key: some CodingKey) -> any Decoder {
        let index = tape.member(key.stringValue, of: object, filter: filter)
        if index == 0 { tape.missingKeys.append(key) }
        return TapeDecoder(
            tape, TapePosition(index: index, container: object, ordinal: max(0, tape.missingKeys.count - 1)))
    }
}
