import StoreCore

/// Rows that expressions can be evaluated on.
protocol SQLSource {
    func value(row: Int, column: Int) -> SQLValue
    /// The rowid; NULL where there is no row.
    func rowidValue(row: Int) -> SQLValue
}

/// The source of expressions without a table, and of the columns beside an aggregate function over no rows.
struct NoRows: SQLSource {
    func value(row: Int, column: Int) -> SQLValue { .null }
    func rowidValue(row: Int) -> SQLValue { .null }
}

/// A tree-walking evaluator of expressions, one row at a time.
struct SQLEvaluator: Sendable {
    let parameters: [SQLValue]
    /// Results of the aggregate functions.
    var aggregates: [SQLValue] = []

    /// Results of the functions that depend on the last changes.
    var session: SQLSession
    /// Checked by the loops over rows.
    let interruption: StatementInterruption
    /// Nil for a statement without long lists.
    private let lists: SQLListSets?

    init(
        parameters: [SQLValue], _ interruption: StatementInterruption = .none, session: SQLSession = SQLSession(),
        lists: SQLListSets? = nil
    ) {
        self.lists = lists
        self.parameters = parameters
        self.interruption = interruption
        self.session = session
    }

    /// - Throws: `StoreError` (`failed`) where SQLite fails too.
    func value(
        _ expression: BoundExpression, in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> SQLValue {
        // One function per kind of expression: in a single function, each level of a deep expression would take a stack
        // frame with space for all cases.
        switch expression {
        case .value(let value): return value
        case .column(let index): return rows.value(row: row, column: index)
        case .rowid: return rows.rowidValue(row: row)
        case .parameter(let index): return parameters[index]
        case .aggregate(let index): return aggregates[index]
        case .session(let function): return .integer(session.result(of: function))
        case .negate, .complement, .not, .isNull, .isTruth, .cast: return try unary(expression, in: rows, at: row)
        case .compare(let comparison, let left, let right, let affinity):
            let left = try value(left, in: rows, at: row)
            return Self.compare(comparison, left, try value(right, in: rows, at: row), affinity)
        case .arithmetic(let first, let steps): return try arithmetic(first, steps, in: rows, at: row)
        case .concatenate(let operands): return try concatenated(operands, in: rows, at: row)
        case .and, .or, .between, .in, .like:
            let (truth, isNegated) = try predicate(expression, in: rows, at: row)
            return .truth(isNegated ? truth.map { !$0 } : truth)
        case .case(let base, let branches, let otherwise):
            return try caseValue(base, branches, otherwise, in: rows, at: row)
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

    private func arithmetic(
        _ first: BoundExpression, _ steps: [BoundExpression.Step], in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> SQLValue {
        var result = try value(first, in: rows, at: row)
        for step in steps { result = step.operation.result(result, try value(step.operand, in: rows, at: row)) }
        return result
    }

    private func concatenated(
        _ operands: [BoundExpression], in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> SQLValue {
        var parts: [ArraySlice<UInt8>] = []
        var count = 0
        var isNull = false
        for operand in operands {
            // All operands are evaluated, since one may fail.
            guard let part = try value(operand, in: rows, at: row).textValue, !isNull else {
                isNull = true
                continue
            }
            count += part.count
            try SQLValue.checkLength(count)
            parts.append(part)
        }
        guard !isNull else { return .null }
        var text: ArraySlice<UInt8> = []
        text.reserveCapacity(count)
        for part in parts { text += part }
        return .text(text)
    }

    private func predicate(
        _ expression: BoundExpression, in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> (Bool?, isNegated: Bool) {
        switch expression {
        case .and(let operands): return (try conjunction(operands, in: rows, at: row), false)
        case .or(let operands): return (try disjunction(operands, in: rows, at: row), false)
        case .between(let operand, let low, let high, let isNegated):
            return (try isBetween(operand, low, high, in: rows, at: row), isNegated)
        case .in(let operand, let list, let isNegated):
            return (try contains(operand, list, in: rows, at: row), isNegated)
        case .like(let style, let operand, let pattern, let escape, let isNegated):
            let operand = try value(operand, in: rows, at: row)
            let pattern = try value(pattern, in: rows, at: row)
            let escapeCharacter: SQLValue? = if let escape { try value(escape, in: rows, at: row) } else { nil }
            return (try SQLPattern.matches(style, operand, pattern, escape: escapeCharacter), isNegated)
        default: return (nil, false)
        }
    }

    private func isBetween(
        _ operand: BoundExpression, _ low: BoundExpression.Bound, _ high: BoundExpression.Bound,
        in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> Bool? {
        let operand = try value(operand, in: rows, at: row)
        let isAboveLow = Self.compare(
            .greaterOrEqual, operand, try value(low.expression, in: rows, at: row), low.affinity)
        let isBelowHigh = Self.compare(
            .lessOrEqual, operand, try value(high.expression, in: rows, at: row), high.affinity)
        return Self.and(isAboveLow.truth, isBelowHigh.truth)
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

    // As in SQLite, AND and OR evaluate all operands if their value is needed; see ``holds(_:orUnknown:in:at:)``.

    private func conjunction(
        _ operands: [BoundExpression], in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> Bool? {
        var result: Bool? = true
        for operand in operands { result = Self.and(result, try value(operand, in: rows, at: row).truth) }
        return result
    }

    private func disjunction(
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
        // The set has evaluated all elements.
        if let set = try list.isLong ? lists?.set(of: list, self) : nil {
            return set.contains(list.affinity.compared(try value(operand, in: rows, at: row)))
        }
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

    /// Evaluates all elements of a list, since one may fail.
    private func check(
        _ list: BoundExpression.List, in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) {
        for element in list.elements { _ = try value(element, in: rows, at: row) }
    }

    private func caseValue(
        _ base: BoundExpression?, _ branches: [BoundExpression.Branch], _ otherwise: BoundExpression?,
        in rows: borrowing some SQLSource, at row: Int
    ) throws(StoreError) -> SQLValue {
        var baseValue: SQLValue?
        if let base { baseValue = try value(base, in: rows, at: row) }
        for branch in branches {
            let isMatch: Bool
            if let baseValue {
                let condition = try value(branch.condition, in: rows, at: row)
                isMatch = Self.compare(.equal, baseValue, condition, branch.affinity).truth == true
            } else {
                isMatch = try holds(branch.condition, in: rows, at: row)
            }
            if isMatch { return try value(branch.result, in: rows, at: row) }
        }
        guard let otherwise else { return .null }
        return try value(otherwise, in: rows, at: row)
    }
}
