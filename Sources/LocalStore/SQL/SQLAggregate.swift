/// The aggregate functions (sqlite.org/lang_aggfunc.html), fed one value after the other.
struct SQLAggregate {
    enum Function: Sendable {
        case countRows, count, sum, total, average, smallest, largest, concatenation

        /// - Returns: nil for a function that is none of these; `min` and `max` are, with one argument.
        init?(_ call: SQLCall) {
            switch call.name {
            case "count": self = call.isStar || call.arguments.isEmpty ? .countRows : .count
            case "sum": self = .sum
            case "total": self = .total
            case "avg": self = .average
            case "min" where call.arguments.count == 1: self = .smallest
            case "max" where call.arguments.count == 1: self = .largest
            case "group_concat": self = .concatenation
            default: return nil
            }
        }

        var argumentCounts: ClosedRange<Int> {
            switch self {
            case .countRows: 0...0
            case .concatenation: 1...2
            default: 1...1
            }
        }
    }

    let function: Function
    var count = 0
    private var integerSum: Int64 = 0
    private var realSum = 0.0
    private var isReal = false
    private var isOverflown = false
    var extreme: SQLValue = .null
    private var text: ArraySlice<UInt8> = []

    init(_ function: Function) { self.function = function }

    mutating func addRows(_ rows: Int) { count += rows }

    /// - Parameter separator: what `group_concat` puts between two values.
    mutating func add(_ value: SQLValue, separator: SQLValue? = nil) {
        guard !value.isNull else { return }
        switch function {
        case .countRows, .count: break
        case .sum, .total, .average: addNumber(value)
        case .smallest: if extreme.isNull || SQLValue.order(value, extreme) < 0 { extreme = value }
        case .largest: if extreme.isNull || SQLValue.order(value, extreme) > 0 { extreme = value }
        case .concatenation:
            if count > 0 { text += separator.map { $0.textValue ?? [] } ?? [UInt8(ascii: ",")] }
            text += value.textValue ?? []
        }
        count += 1
    }

    mutating func add(_ value: Int64) {
        count += 1
        realSum += Double(value)
        guard !isReal, !isOverflown else { return }
        let (sum, isOver) = integerSum.addingReportingOverflow(value)
        if isOver {
            isOverflown = true
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

    /// - Throws: `StoreError` (`failed`) when a sum of integers needs more than 64 bits, as in SQLite.
    func result() throws(StoreError) -> SQLValue {
        switch function {
        case .countRows, .count: return .integer(Int64(count))
        case .sum:
            guard count > 0 else { return .null }
            if isOverflown { throw StoreError(.failed, "integer overflow: sum() exceeds 64 bits; use total()") }
            return isReal ? .checked(realSum) : .integer(integerSum)
        case .total: return .checked(realSum)
        case .average: return count > 0 ? .checked(realSum / Double(count)) : .null
        case .smallest, .largest: return extreme
        case .concatenation: return count > 0 ? .text(text) : .null
        }
    }
}

extension SQLValue {
    /// A REAL, or NULL for what is not a number.
    static func checked(_ value: Double) -> SQLValue { value.isNaN ? .null : .real(value) }
}
