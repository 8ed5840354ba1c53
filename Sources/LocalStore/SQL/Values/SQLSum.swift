import StoreCore

/// Accumulator of `sum`, `total` and `avg`: a sum of integers as long as there is nothing else, and one of REALs.
struct SQLSum {
    private var integers: Int64 = 0
    private var reals = 0.0
    private var isReal = false
    private var hasOverflowed = false

    @inline(__always)
    mutating func add(_ value: Int64) {
        reals += Double(value)
        guard !isReal else { return }
        let (sum, isOverflow) = integers.addingReportingOverflow(value)
        if isOverflow {
            hasOverflowed = true
            isReal = true
        } else {
            integers = sum
        }
    }

    @inline(__always)
    mutating func add(_ value: Double) {
        reals += value
        isReal = true
    }

    /// - Parameter count: number of values that are not NULL.
    /// - Throws: `StoreError` (`failed`) if a sum of integers exceeds 64 bits, as in SQLite.
    func result(of function: SQLAggregate.Function, count: Int) throws(StoreError) -> SQLValue {
        switch function {
        case .total: return .realOrNull(reals)
        case .average: return count > 0 ? .realOrNull(reals / Double(count)) : .null
        default:
            guard count > 0 else { return .null }
            if hasOverflowed { throw StoreError(.failed, "integer overflow: sum() exceeds 64 bits; use total()") }
            return isReal ? .realOrNull(reals) : .integer(integers)
        }
    }
}
