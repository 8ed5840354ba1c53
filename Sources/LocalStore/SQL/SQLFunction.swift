import StoreCore

/// The scalar functions (sqlite.org/lang_corefunc.html).
enum SQLFunction: String, Sendable {
    case abs, char, coalesce, glob, hex, ifnull, iif, instr, length, like, lower, ltrim, max, min, nullif, replace
    case round, rtrim, sign, substr, substring, trim, typeof, unicode, upper

    /// Accepted numbers of arguments.
    var argumentCounts: ClosedRange<Int> {
        switch self {
        case .abs, .hex, .length, .lower, .sign, .typeof, .unicode, .upper: 1...1
        case .round, .trim, .ltrim, .rtrim: 1...2
        case .ifnull, .instr, .nullif, .glob: 2...2
        case .like, .substr, .substring: 2...3
        case .iif, .replace: 3...3
        case .coalesce, .max, .min: 2...127
        case .char: 0...127
        }
    }
}

extension SQLEvaluator {
    func call(
        _ function: SQLFunction, _ arguments: [BoundExpression], in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> SQLValue {
        // These evaluate only the arguments that they need, so the others cannot fail.
        switch function {
        case .coalesce, .ifnull:
            for argument in arguments {
                let value = try value(argument, in: rows, at: row)
                if !value.isNull { return value }
            }
            return .null
        case .iif:
            let isTrue = try holds(arguments[0], in: rows, at: row)
            return try value(arguments[isTrue ? 1 : 2], in: rows, at: row)
        default: break
        }
        var values: [SQLValue] = []
        for argument in arguments { values.append(try value(argument, in: rows, at: row)) }
        return try function.result(values)
    }
}

extension SQLFunction {
    /// Evaluates the function; the number of arguments was checked by the binder.
    func result(_ values: [SQLValue]) throws(StoreError) -> SQLValue {
        switch self {
        // Evaluated in ``SQLEvaluator``.
        case .coalesce, .ifnull, .iif: return .null
        case .abs: return try Self.magnitude(values[0])
        case .char: return .text(Self.characters(values))
        case .glob: return .truth(try SQLPattern.matches(.glob, values[1], values[0], escape: nil))
        case .hex: return .text(try Self.hexadecimal(values[0].textValue ?? []))
        case .instr: return Self.position(of: values[1], in: values[0])
        case .length: return Self.length(values[0])
        case .like:
            return .truth(
                try SQLPattern.matches(.like, values[1], values[0], escape: values.count > 2 ? values[2] : nil))
        case .lower: return Self.mapped(values[0]) { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        case .upper: return Self.mapped(values[0]) { (0x61...0x7A).contains($0) ? $0 & ~0x20 : $0 }
        case .min, .max: return Self.extreme(values, isLargest: self == .max)
        case .nullif: return SQLValue.order(values[0], values[1]) == 0 ? .null : values[0]
        case .replace: return try Self.replaced(values)
        case .round: return Self.rounded(values)
        case .sign: return Self.sign(values[0])
        case .substr, .substring: return Self.part(values)
        case .trim: return Self.trimmed(values, left: true, right: true)
        case .ltrim: return Self.trimmed(values, left: true, right: false)
        case .rtrim: return Self.trimmed(values, left: false, right: true)
        case .typeof: return .text(Self.typeName(values[0]))
        case .unicode:
            return (values[0].textValue?.upToNUL).flatMap(Self.code).map(SQLValue.integer) ?? .null
        }
    }

    // MARK: Numbers

    private static func magnitude(_ value: SQLValue) throws(StoreError) -> SQLValue {
        switch value {
        case .null: return .null
        case .integer(let value):
            guard value != .min else { throw StoreError(.failed, "integer overflow: abs(-9223372036854775808)") }
            return .integer(Swift.abs(value))
        default:
            // Not `abs`: SQLite keeps the sign of zero.
            let number = value.realValue
            return .real(number < 0 ? -number : number)
        }
    }

    private static func rounded(_ values: [SQLValue]) -> SQLValue {
        if values.count > 1, values[1].isNull || values[0].isNull { return .null }
        let places = values.count > 1 ? Int(Int32(truncatingIfNeeded: values[1].integerValue)) : 0
        guard !values[0].isNull else { return .null }
        let value = values[0].realValue
        // Doubles beyond 2 to the power of 52 have no fraction.
        if value.magnitude > 4_503_599_627_370_496 { return .real(value) }
        if places <= 0 { return .real(Double(Int64(value + (value < 0 ? -0.5 : 0.5)))) }
        return .real(SQLNumber.rounded(value, places: Swift.min(places, 30)))
    }

    private static func sign(_ value: SQLValue) -> SQLValue {
        var number = value
        if case .text = value { number = value.numberInText ?? .null }
        switch number {
        case .integer, .real:
            let real = number.realValue
            return .integer(real < 0 ? -1 : real > 0 ? 1 : 0)
        default: return .null
        }
    }

    // MARK: Any values

    private static func extreme(_ values: [SQLValue], isLargest: Bool) -> SQLValue {
        guard var best = values.first, !values.contains(where: \.isNull) else { return .null }
        for value in values.dropFirst() {
            let order = SQLValue.order(best, value)
            // Among equal values, max keeps the first and min the last.
            if isLargest ? order < 0 : order >= 0 { best = value }
        }
        return best
    }

    private static func typeName(_ value: SQLValue) -> String {
        switch value {
        case .null: "null"
        case .integer: "integer"
        case .real: "real"
        case .text: "text"
        case .blob: "blob"
        }
    }
}
