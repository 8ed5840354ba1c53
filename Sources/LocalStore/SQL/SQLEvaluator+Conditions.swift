import StoreCore

extension SQLEvaluator {
    /// Evaluates a condition of WHERE, WHEN or `iif`.
    ///
    /// As in SQLite, AND, OR and BETWEEN short-circuit here: operands after the deciding one are not evaluated, and so
    /// cannot fail.
    /// - Parameter orUnknown: true to treat unknown as true.
    func holds(
        _ expression: BoundExpression, orUnknown: Bool = false, in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> Bool {
        switch expression {
        case .and(let operands):
            for operand in operands where try !holds(operand, orUnknown: orUnknown, in: rows, at: row) { return false }
            return true
        case .or(let operands):
            for operand in operands where try holds(operand, orUnknown: orUnknown, in: rows, at: row) { return true }
            return false
        case .not(let operand): return try !holds(operand, orUnknown: !orUnknown, in: rows, at: row)
        case .isTruth(let operand, let truth, let isNegated):
            return try (holds(operand, orUnknown: !truth, in: rows, at: row) == truth) != isNegated
        case .between(let operand, let low, let high, isNegated: false):
            let value = try value(operand, in: rows, at: row)
            guard try compare(value, .greaterOrEqual, low, in: rows, at: row) ?? orUnknown else { return false }
            return try compare(value, .lessOrEqual, high, in: rows, at: row) ?? orUnknown
        case .between(let operand, let low, let high, isNegated: true):
            return try !holds(
                .between(operand, low: low, high: high, isNegated: false), orUnknown: !orUnknown, in: rows, at: row)
        default: return try value(expression, in: rows, at: row).truth ?? orUnknown
        }
    }

    private func compare(
        _ value: SQLValue, _ comparison: SQLComparison, _ bound: BoundExpression.Bound,
        in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> Bool? {
        let limit = try self.value(bound.expression, in: rows, at: row)
        return Self.compare(comparison, value, limit, bound.affinity).truth
    }
}
