/// Rows that expressions can be computed for.
protocol SQLSource {
    func value(row: Int, column: Int) -> SQLValue
    func rowid(row: Int) -> Int64
}

/// For expressions without a table.
struct NoRows: SQLSource {
    func value(row: Int, column: Int) -> SQLValue { .null }
    func rowid(row: Int) -> Int64 { 0 }
}

/// Computes expressions, one row at a time.
struct SQLEvaluator: Sendable {
    let parameters: [SQLValue]
    /// What the aggregate functions came to.
    var aggregates: [SQLValue] = []

    init(parameters: [SQLValue]) { self.parameters = parameters }

    /// - Throws: `StoreError` (`failed`), for the few things that SQLite too refuses to compute.
    func value(
        _ expression: BoundExpression, in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> SQLValue {
        // One function for each kind of expression: with all in one, each level of a deep expression would take a stack
        // frame with room for every case.
        switch expression {
        case .value(let value): return value
        case .column(let index): return rows.value(row: row, column: index)
        case .rowid: return .integer(rows.rowid(row: row))
        case .parameter(let index): return parameters[index]
        case .aggregate(let index): return aggregates[index]
        case .negate, .complement, .not, .isNull, .isTruth, .cast: return try unary(expression, in: rows, at: row)
        case .compare(let comparison, let left, let right, let affinity):
            let left = try value(left, in: rows, at: row)
            return Self.compare(comparison, left, try value(right, in: rows, at: row), affinity)
        case .arithmetic(let first, let steps): return try computed(first, steps, in: rows, at: row)
        case .concatenate(let operands): return try joined(operands, in: rows, at: row)
        case .all, .any, .between, .list, .like:
            let (truth, isNegated) = try test(expression, in: rows, at: row)
            return .truth(isNegated ? truth.map { !$0 } : truth)
        case .choice(let base, let branches, let otherwise):
            return try choice(of: base, branches, otherwise, in: rows, at: row)
        case .call(let function, let arguments): return try call(function, arguments, in: rows, at: row)
        }
    }

    private func unary(
        _ expression: BoundExpression, in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> SQLValue {
        switch expression {
        case .negate(let operand):
            return SQLArithmetic.subtract.result(.integer(0), try value(operand, in: rows, at: row))
        case .complement(let operand):
            let operand = try value(operand, in: rows, at: row)
            return operand.isNull ? .null : .integer(~operand.integerValue)
        case .not(let operand): return .truth(try value(operand, in: rows, at: row).truth.map { !$0 })
        case .isNull(let operand, let isNegated):
            return .truth(try value(operand, in: rows, at: row).isNull != isNegated)
        case .isTruth(let operand, let truth, let isNegated):
            return .truth((try value(operand, in: rows, at: row).truth == truth) != isNegated)
        case .cast(let operand, let affinity): return affinity.cast(try value(operand, in: rows, at: row))
        default: return .null
        }
    }

    private func computed(
        _ first: BoundExpression, _ steps: [BoundExpression.Step], in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> SQLValue {
        var result = try value(first, in: rows, at: row)
        for step in steps { result = step.operation.result(result, try value(step.operand, in: rows, at: row)) }
        return result
    }

    private func joined(
        _ operands: [BoundExpression], in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> SQLValue {
        var text: ArraySlice<UInt8>? = []
        for operand in operands {
            // All are computed, for the errors that there may be.
            guard let part = try value(operand, in: rows, at: row).textValue else {
                text = nil
                continue
            }
            text?.append(contentsOf: part)
        }
        return text.map(SQLValue.text) ?? .null
    }

    private func test(
        _ expression: BoundExpression, in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> (Bool?, isNegated: Bool) {
        switch expression {
        case .all(let operands): return (try all(operands, in: rows, at: row), false)
        case .any(let operands): return (try any(operands, in: rows, at: row), false)
        case .between(let operand, let low, let high, let isNegated):
            return (try isBetween(operand, low, high, in: rows, at: row), isNegated)
        case .list(let operand, let list, let isNegated):
            return (try contains(operand, list, in: rows, at: row), isNegated)
        case .like(let style, let operand, let pattern, let escape, let isNegated):
            let operand = try value(operand, in: rows, at: row)
            let pattern = try value(pattern, in: rows, at: row)
            let mark: SQLValue? = if let escape { try value(escape, in: rows, at: row) } else { nil }
            return (try SQLPattern.matches(style, operand, pattern, escape: mark), isNegated)
        default: return (nil, false)
        }
    }

    private func isBetween(
        _ operand: BoundExpression, _ low: BoundExpression.Bound, _ high: BoundExpression.Bound,
        in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> Bool? {
        let operand = try value(operand, in: rows, at: row)
        let above = Self.compare(.greaterOrEqual, operand, try value(low.expression, in: rows, at: row), low.affinity)
        let below = Self.compare(.lessOrEqual, operand, try value(high.expression, in: rows, at: row), high.affinity)
        return Self.and(above.truth, below.truth)
    }

    static func compare(
        _ comparison: SQLComparison, _ left: SQLValue, _ right: SQLValue, _ affinity: ColumnAffinity
    ) -> SQLValue {
        if left.isNull || right.isNull {
            guard comparison == .same || comparison == .different else { return .null }
            return .truth((left.isNull && right.isNull) == (comparison == .same))
        }
        return .truth(comparison.holds(SQLValue.order(affinity.compared(left), affinity.compared(right))))
    }

    private static func and(_ left: Bool?, _ right: Bool?) -> Bool? {
        if left == false || right == false { return false }
        return left == nil || right == nil ? nil : true
    }

    // As in SQLite, AND and OR compute all their operands where their value is wanted; see ``holds(_:orUnknown:in:at:)``.

    private func all(
        _ operands: [BoundExpression], in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> Bool? {
        var result: Bool? = true
        for operand in operands { result = Self.and(result, try value(operand, in: rows, at: row).truth) }
        return result
    }

    private func any(
        _ operands: [BoundExpression], in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> Bool? {
        var result: Bool? = false
        for operand in operands {
            let truth = try value(operand, in: rows, at: row).truth
            if truth == true || result == false { result = truth == false ? result : truth }
        }
        return result
    }

    private func contains(
        _ operand: BoundExpression, _ list: BoundExpression.List, in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> Bool? {
        if list.isEager { try check(list, in: rows, at: row) }
        let operand = list.affinity.compared(try value(operand, in: rows, at: row))
        guard !operand.isNull else {
            if list.mayFail { try check(list, in: rows, at: row) }
            return nil
        }
        var result: Bool? = false
        for element in list.elements {
            let element = try value(element, in: rows, at: row)
            if element.isNull {
                result = nil
            } else if SQLValue.order(operand, list.affinity.compared(element)) == 0 {
                return true
            }
        }
        return result
    }

    /// Computes all elements of a list for the error that one may be.
    private func check(
        _ list: BoundExpression.List, in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) {
        for element in list.elements { _ = try value(element, in: rows, at: row) }
    }

    private func choice(
        of base: BoundExpression?, _ branches: [BoundExpression.Branch], _ otherwise: BoundExpression?,
        in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> SQLValue {
        var chosen: SQLValue?
        if let base { chosen = try value(base, in: rows, at: row) }
        for branch in branches {
            let isChosen: Bool
            if let chosen {
                let condition = try value(branch.condition, in: rows, at: row)
                isChosen = Self.compare(.equal, chosen, condition, branch.affinity).truth == true
            } else {
                isChosen = try holds(branch.condition, in: rows, at: row)
            }
            if isChosen { return try value(branch.result, in: rows, at: row) }
        }
        guard let otherwise else { return .null }
        return try value(otherwise, in: rows, at: row)
    }
}
