import StoreCore

/// Accumulator of an aggregate function (sqlite.org/lang_aggfunc.html).
struct SQLAggregate {
    enum Function: Hashable, Sendable {
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
    private var sum = SQLSum()
    var extreme: SQLValue = .null
    private var text: ArraySlice<UInt8> = []

    init(_ function: Function) { self.function = function }

    mutating func addRows(_ rows: Int) { count += rows }

    /// - Parameters:
    ///   - separator: separator of `group_concat`; nil for a comma.
    ///   - limit: maximum length of the text of `group_concat`.
    /// - Throws: `StoreError` (`tooLarge`) when that text exceeds the limit.
    mutating func add(
        _ value: SQLValue, separator: SQLValue? = nil, limit: Int = SQLValue.maximumLength
    ) throws(StoreError) {
        guard !value.isNull else { return }
        switch function {
        case .countAll, .count: break
        case .sum, .total, .average: addNumber(value)
        case .minimum, .maximum: if isExtreme(value) { extreme = value }
        case .groupConcat:
            let part = value.textValue ?? []
            let comma: ArraySlice<UInt8> = count > 0 ? separator.map { $0.textValue ?? [] } ?? [0x2C] : []
            try SQLValue.checkLength(text.count + comma.count + part.count, limit: limit)
            text += comma
            text += part
        }
        count += 1
    }

    mutating func add(_ value: Int64) {
        count += 1
        sum.add(value)
    }

    mutating func add(_ value: Double) {
        count += 1
        sum.add(value)
    }

    /// True if `min` or `max` takes columns beside it from the row of this value: it is better than all before, or all
    /// were NULL so far.
    func isExtreme(_ value: SQLValue) -> Bool {
        if extreme.isNull { return true }
        if value.isNull { return false }
        let order = SQLValue.order(value, extreme)
        return function == .minimum ? order < 0 : order > 0
    }

    private mutating func addNumber(_ value: SQLValue) {
        count -= 1
        if case .integer(let integer) = value.summand { add(integer) } else { add(value.summand.realValue) }
    }

    /// - Throws: `StoreError` (`failed`) if a sum of integers exceeds 64 bits, as in SQLite.
    func result() throws(StoreError) -> SQLValue {
        switch function {
        case .countAll, .count: return .integer(Int64(count))
        case .sum, .total, .average: return try sum.result(of: function, count: count)
        case .minimum, .maximum: return extreme
        case .groupConcat: return count > 0 ? .text(text) : .null
        }
    }
}

extension SQLValue {
    /// The value as `sum` adds it: the number that a text consists of, or the value itself.
    var summand: SQLValue {
        if case .text = self { numberInText ?? self } else { self }
    }

    /// A REAL, or NULL for NaN.
    static func realOrNull(_ value: Double) -> SQLValue { value.isNaN ? .null : .real(value) }
}
