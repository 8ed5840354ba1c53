/// Accumulator of an aggregate function (sqlite.org/lang_aggfunc.html).
struct SQLAggregate {
    enum Function: Sendable {
        case countAll, count, sum, total, average, minimum, maximum, groupConcat

        /// - Returns: nil for other functions; `min` and `max` are aggregates with one argument only.
        init?(_ call: SQLCall) {
            switch call.name {
            case "count": self = call.isStar || call.arguments.isEmpty ? .countAll : .count
            case "sum": self = .sum
            case "total": self = .total
            case "avg": self = .average
            case "min" where call.arguments.count == 1: self = .minimum
            case "max" where call.arguments.count == 1: self = .maximum
            case "group_concat": self = .groupConcat
            default: return nil
            }
        }

        var argumentCounts: ClosedRange<Int> {
            switch self {
            case .countAll: 0...0
            case .groupConcat: 1...2
            default: 1...1
            }
        }
    }

    let function: Function
    var count = 0
    private var integerSum: Int64 = 0
    private var realSum = 0.0
    private var isReal = false
    private var hasOverflowed = false
    var extreme: SQLValue = .null
    private var text: ArraySlice<UInt8> = []

    init(_ function: Function) { self.function = function }

    mutating func addRows(_ rows: Int) { count += rows }

    /// - Parameter separator: separator of `group_concat`; nil for a comma.
    mutating func add(_ value: SQLValue, separator: SQLValue? = nil) {
        guard !value.isNull else { return }
        switch function {
        case .countAll, .count: break
        case .sum, .total, .average: addNumber(value)
        case .minimum: if extreme.isNull || SQLValue.order(value, extreme) < 0 { extreme = value }
        case .maximum: if extreme.isNull || SQLValue.order(value, extreme) > 0 { extreme = value }
        case .groupConcat:
            if count > 0 { text += separator.map { $0.textValue ?? [] } ?? [UInt8(ascii: ",")] }
            text += value.textValue ?? []
        }
        count += 1
    }

    mutating func add(_ value: Int64) {
        count += 1
        realSum += Double(value)
        guard !isReal, !hasOverflowed else { return }
        let (sum, isOverflow) = integerSum.addingReportingOverflow(value)
        if isOverflow {
            hasOverflowed = true
            isReal = true
        } else {
            integerSum = sum
        }
    }

    mutating func add(_ value: Double) {
        count += 1
        realSum += value
        isReal = true
    }

    private mutating func addNumber(_ value: SQLValue) {
        count -= 1
        var number = value
        if case .text = value { number = value.numberInText ?? value }
        if case .integer(let integer) = number { add(integer) } else { add(number.realValue) }
    }

    /// - Throws: `StoreError` (`failed`) if a sum of integers exceeds 64 bits, as in SQLite.
    func result() throws(StoreError) -> SQLValue {
        switch function {
        case .countAll, .count: return .integer(Int64(count))
        case .sum:
            guard count > 0 else { return .null }
            if hasOverflowed { throw StoreError(.failed, "integer overflow: sum() exceeds 64 bits; use total()") }
            return isReal ? .realOrNull(realSum) : .integer(integerSum)
        case .total: return .realOrNull(realSum)
        case .average: return count > 0 ? .realOrNull(realSum / Double(count)) : .null
        case .minimum, .maximum: return extreme
        case .groupConcat: return count > 0 ? .text(text) : .null
        }
    }
}

extension SQLValue {
    /// A REAL, or NULL for NaN.
    static func realOrNull(_ value: Double) -> SQLValue { value.isNaN ? .null : .real(value) }
}
