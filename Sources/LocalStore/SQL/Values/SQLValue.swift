import StoreCore

/// A value in an SQL expression: SQLite's five storage classes, with text as UTF-8 bytes.
enum SQLValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(ArraySlice<UInt8>)
    case blob(ArraySlice<UInt8>)

    static func text(_ text: some StringProtocol) -> SQLValue { .text(ArraySlice(text.utf8)) }
    static func truth(_ value: Bool?) -> SQLValue { value.map { .integer($0 ? 1 : 0) } ?? .null }

    /// SQLite's default limit for texts and blobs, in bytes.
    static let maximumLength = 1_000_000_000

    /// Refuses a text that a function or operator is about to make longer than the limit.
    static func checkLength(_ count: Int, limit: Int = SQLValue.maximumLength) throws(StoreError) {
        guard count <= limit else { throw StoreError(.tooLarge, "string or blob too big: more than \(limit) bytes") }
    }

    var isNull: Bool { if case .null = self { true } else { false } }
    var isBlob: Bool { if case .blob = self { true } else { false } }

    /// The value as a condition; nil for unknown.
    var truth: Bool? {
        switch self {
        case .null: nil
        case .integer(let value): value != 0
        case .real(let value): value != 0
        case .text(let bytes), .blob(let bytes): SQLNumber.real(bytes).value != 0
        }
    }

    /// The value converted to REAL; 0 if it has no numeric prefix.
    var realValue: Double {
        switch self {
        case .null: 0
        case .integer(let value): Double(value)
        case .real(let value): value
        case .text(let bytes), .blob(let bytes): SQLNumber.real(bytes).value
        }
    }

    /// The value converted to INTEGER, truncated and clamped to 64 bits; 0 if it has no numeric prefix.
    var integerValue: Int64 {
        switch self {
        case .null: 0
        case .integer(let value): value
        case .real(let value): Self.truncated(value)
        case .text(let bytes), .blob(let bytes): SQLNumber.integer(bytes)?.value ?? 0
        }
    }

    /// The value converted to text; nil for NULL. A blob's bytes are reinterpreted as text.
    var textValue: ArraySlice<UInt8>? {
        switch self {
        case .null: nil
        case .integer(let value): SQLNumber.text(value)
        case .real(let value): SQLNumber.text(value)
        case .text(let bytes), .blob(let bytes): bytes
        }
    }

    /// The number that a text consists of; nil for other texts and other storage classes.
    var numberInText: SQLValue? {
        guard case .text(let bytes) = self, let last = bytes.last, last < 0x3A else { return nil }
        let real = SQLNumber.real(bytes)
        guard real.isNumber else { return nil }
        guard real.form == .integer else { return .real(real.value) }
        if let whole = Self.wholeInDouble(real.value) { return .integer(whole) }
        if let integer = SQLNumber.integer(bytes), integer.isWhole { return .integer(integer.value) }
        return .real(real.value)
    }

    /// The value as an operand of arithmetic: NULL, INTEGER or REAL.
    var numeric: SQLValue {
        switch self {
        case .null, .integer, .real: return self
        case .text(let bytes), .blob(let bytes):
            let real = SQLNumber.real(bytes)
            let integer = SQLNumber.integer(bytes)
            switch real.form {
            case .none where integer?.fits ?? true: return .integer(integer?.value ?? 0)
            case .integer where integer?.isWhole ?? false: return .integer(integer?.value ?? 0)
            default: return .real(real.value)
            }
        }
    }

    /// The INTEGER that equals a REAL, for columns of integer or numeric affinity.
    static func whole(_ value: Double) -> SQLValue? {
        let integer = truncated(value)
        guard Double(integer) == value, integer > .min, integer < .max else { return nil }
        return .integer(integer)
    }

    /// The integer that equals a REAL, if its magnitude is below 2 to the power of 51.
    static func wholeInDouble(_ value: Double) -> Int64? {
        guard value.magnitude < 2_251_799_813_685_248 || value == -2_251_799_813_685_248 else { return nil }
        let integer = Int64(value)
        return Double(integer) == value ? integer : nil
    }

    static func truncated(_ value: Double) -> Int64 {
        if value <= -9_223_372_036_854_775_808 { return .min }
        if value >= 9_223_372_036_854_775_808 { return .max }
        return value.isNaN ? 0 : Int64(value)
    }
}

extension SQLValue {
    /// Copies a cell.
    init(_ cell: StoreCell) {
        switch cell.kind {
        case .null: self = .null
        case .integer: self = .integer(Int64(bitPattern: cell.bits))
        case .real: self = .real(Double(bitPattern: cell.bits))
        case .text: self = .text(ArraySlice(cell.bytes))
        case .blob: self = .blob(ArraySlice(cell.bytes))
        }
    }
}

extension SQLValue {
    /// The value of a cell whose bytes, if any, are in `arena`. They are not copied.
    @inline(__always)
    init(_ cell: RowBatch.Cell, in arena: [UInt8]) {
        switch cell.kind {
        case .null: self = .null
        case .integer: self = .integer(cell.integer)
        case .real: self = .real(cell.real)
        case .text: self = .text(arena[cell.offset..<cell.offset + cell.count])
        case .blob: self = .blob(arena[cell.offset..<cell.offset + cell.count])
        }
    }
}
