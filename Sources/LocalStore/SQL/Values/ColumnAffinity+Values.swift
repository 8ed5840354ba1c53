import StoreCore

extension ColumnAffinity {
    /// True for the affinities that convert text to numbers.
    var isNumeric: Bool { self == .numeric || self == .integer || self == .real }

    /// Converts a value for storage in a column of this affinity.
    func stored(_ value: SQLValue) -> SQLValue {
        switch (self, value) {
        case (.blob, _), (_, .null), (_, .blob), (.text, .text), (.integer, .integer), (.numeric, .integer):
            return value
        // SQLite stores a whole REAL as an integer, and so loses the sign of zero.
        case (.real, .real(let number)): return .real(number + 0)
        case (.text, .integer(let number)): return .text(SQLNumber.text(number))
        case (.text, .real(let number)): return .text(SQLNumber.text(number))
        case (.real, .integer(let number)): return .real(Double(number))
        case (.numeric, .real(let number)), (.integer, .real(let number)): return SQLValue.whole(number) ?? value
        case (.real, .text):
            guard let number = value.numberInText else { return value }
            return .real(number.realValue + 0)
        case (.numeric, .text), (.integer, .text):
            guard let number = value.numberInText else { return value }
            if case .real(let real) = number { return SQLValue.whole(real) ?? number }
            return number
        }
    }

    /// Converts a value for a comparison with this affinity: text to a number, or a number to text.
    func compared(_ value: SQLValue) -> SQLValue {
        switch (self, value) {
        case (.text, .integer(let number)): .text(SQLNumber.text(number))
        case (.text, .real(let number)): .text(SQLNumber.text(number))
        case (.numeric, .text), (.integer, .text), (.real, .text): value.numberInText ?? value
        default: value
        }
    }

    /// Evaluates `CAST` to a type of this affinity (sqlite.org/lang_expr.html, section 13).
    func cast(_ value: SQLValue) -> SQLValue {
        guard !value.isNull else { return .null }
        switch self {
        case .blob: return value.textValue.map(SQLValue.blob) ?? .null
        case .text: return value.textValue.map(SQLValue.text) ?? .null
        case .integer: return .integer(value.integerValue)
        case .real: return .real(value.realValue)
        case .numeric:
            guard case .text(let bytes) = value.isBlob ? value.textValue.map(SQLValue.text) ?? .null : value else {
                return value
            }
            let real = SQLNumber.real(bytes)
            let integer = SQLNumber.integer(bytes)
            if real.form == .none || real.form == .integer, integer?.fits ?? true {
                return .integer(integer?.value ?? 0)
            }
            return SQLValue.wholeInDouble(real.value).map(SQLValue.integer) ?? .real(real.value)
        }
    }
}
