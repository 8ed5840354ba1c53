/// Container of the elements of an array of a tape.
struct TapeUnkeyedContainer: UnkeyedDecodingContainer {
    private let tape: JSONTape
    private let array: UInt32
    /// Entry of the next element.
    private var next: UInt32
    /// Index of the next element.
    private var ordinal: UInt32 = 0

    /// - Throws: `DecodingError` if the value is not an array.
    init(_ tape: JSONTape, _ position: TapePosition) throws {
        guard tape.entries[position.index].kind == .array else { throw tape.mismatch([Any].self, at: position) }
        self.tape = tape
        array = UInt32(position.index)
        next = UInt32(position.index + 2)
    }

    var codingPath: [any CodingKey] { tape.path(toContainer: Int(array)) }
    var count: Int? { tape.entries[Int(array)].count }
    var isAtEnd: Bool { Int(ordinal) == tape.entries[Int(array)].count }
    var currentIndex: Int { Int(ordinal) }

    /// The position of the next element.
    @inline(__always)
    private func position(for type: Any.Type) throws -> TapePosition {
        guard !isAtEnd else { throw endError(type) }
        return TapePosition(index: Int(next), container: Int(array), ordinal: Int(ordinal))
    }

    @inline(never)
    private func endError(_ type: Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath + [JSONKey(index: currentIndex)],
                debugDescription: "Unkeyed container is at end."))
    }

    @inline(__always)
    private mutating func advance() {
        next = UInt32(tape.next(after: Int(next)))
        ordinal += 1
    }

    /// Reads the next element, and stays there if that fails.
    @inline(__always)
    private mutating func element<Value>(_ read: (JSONTape, TapePosition) throws -> Value) throws -> Value {
        let value = try read(tape, position(for: Value.self))
        advance()
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard try tape.entries[position(for: Never?.self).index].kind == .null else { return false }
        advance()
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try element { try $0.bool(at: $1) } }
    mutating func decode(_ type: String.Type) throws -> String { try element { try $0.string(at: $1) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try element { try $0.double(at: $1) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try element { try $0.float(at: $1) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try element { try $0.integer(type, at: $1) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try element { try $0.integer(type, at: $1) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try element { try $0.integer(type, at: $1) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try element { try $0.integer(type, at: $1) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try element { try $0.integer(type, at: $1) } }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try element { try $0.integer(type, at: $1) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try element { try $0.integer(type, at: $1) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try element { try $0.integer(type, at: $1) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try element { try $0.integer(type, at: $1) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try element { try $0.integer(type, at: $1) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try element { try $0.integer(type, at: $1) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try element { try $0.integer(type, at: $1) } }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try element { try $0.value(type, at: $1) }
    }

    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        if isAtEnd { return nil }
        if try decodeNil() { return nil }
        return try decode(type)
    }

    mutating func nestedContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        try element { tape, position in KeyedDecodingContainer(try TapeKeyedContainer<Key>(tape, position)) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try element { tape, position in try TapeUnkeyedContainer(tape, position) }
    }

    mutating func superDecoder() throws -> any Decoder {
        try element { tape, position in TapeDecoder(tape, position) }
    }
}
