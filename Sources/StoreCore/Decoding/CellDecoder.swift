/// Decodes one cell: a value, or JSON text where a type asks for elements or keys.
///
/// It is a small struct, so that it is passed as `any Decoder` without an allocation.
struct CellDecoder: Decoder, SingleValueDecodingContainer {
    private let row: RowDecoder
    private let column: Int
    /// True when it stands for the row: a type that is not in one cell is decoded from all columns.
    private let isWholeRow: Bool

    init(_ row: RowDecoder, _ column: Int, isWholeRow: Bool = false) {
        self.row = row
        self.column = column
        self.isWholeRow = isWholeRow
    }

    var codingPath: [any CodingKey] { isWholeRow ? [] : row.codingPath(column) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try row.json(KeyedJSON<Key>.self, at: column).container
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try row.json(UnkeyedJSON.self, at: column).container
    }

    func decodeNil() -> Bool { (try? row.checkedCell(at: column, for: Never.self))?.kind == .null }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if isWholeRow { return try row.wholeValue(type) }
        return try row.value(type, row.checkedCell(at: column, for: type), at: column)
    }

    func decode(_ type: Bool.Type) throws -> Bool { try scalar(type) }
    func decode(_ type: String.Type) throws -> String { try scalar(type) }
    func decode(_ type: Double.Type) throws -> Double { try scalar(type) }
    func decode(_ type: Float.Type) throws -> Float { try scalar(type) }
    func decode(_ type: Int.Type) throws -> Int { try scalar(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try scalar(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try scalar(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try scalar(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try scalar(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try scalar(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try scalar(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try scalar(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try scalar(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try scalar(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try scalar(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar(type) }

    private func scalar<Scalar: CellScalar>(_ type: Scalar.Type) throws -> Scalar {
        try row.scalar(type, row.checkedCell(at: column, for: type), at: column)
    }
}
