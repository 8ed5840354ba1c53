import StoreCore

extension MemoryFilter {
    /// Predicates for one conjunct: kernels if it compares a column with constants, otherwise the expression itself.
    static func predicates(
        _ term: BoundExpression, _ evaluator: SQLEvaluator, _ definition: MemoryTableDefinition
    ) throws(StoreError) -> [Predicate] {
        if term.isConstant { return try evaluator.holds(term, in: NoRows(), at: 0) ? [] : [.never] }
        if case .in(.rowid, let list, isNegated: false) = term, list.elements.allSatisfy(\.isConstant) {
            // SQLite looks these rows up, so it evaluates all elements first, errors included.
            for element in list.elements { _ = try evaluator.value(element, in: NoRows(), at: 0) }
        }
        // A constant whose evaluation fails is an error only if there is a row.
        return (try? kernels(term, evaluator, definition)) ?? [.expression(term)]
    }

    private static func kernels(
        _ term: BoundExpression, _ evaluator: SQLEvaluator, _ definition: MemoryTableDefinition
    ) throws(StoreError) -> [Predicate] {
        func constant(_ expression: BoundExpression) throws(StoreError) -> SQLValue {
            try evaluator.value(expression, in: NoRows(), at: 0)
        }
        switch term {
        case .compare(let comparison, let left, let right, let affinity):
            if right.isConstant {
                return [compare(left, comparison, try constant(right), affinity, definition) ?? .expression(term)]
            }
            if left.isConstant {
                return [
                    compare(right, comparison.mirrored, try constant(left), affinity, definition) ?? .expression(term)
                ]
            }
        case .between(let operand, let low, let high, isNegated: false)
        where low.expression.isConstant && high.expression.isConstant:
            let lowest = try constant(low.expression)
            let highest = try constant(high.expression)
            if let above = compare(operand, .greaterOrEqual, lowest, low.affinity, definition),
                let below = compare(operand, .lessOrEqual, highest, high.affinity, definition)
            {
                return [above, below]
            }
        case .isNull(.column(let column), let isNegated): return [.isNull(column: column, isNegated: isNegated)]
        case .in(.column(let column), let list, isNegated: false):
            guard let integers = try Self.integers(in: list, evaluator) else { break }
            return [.integers(column: column, integers)]
        case .in(.rowid, let list, isNegated: false):
            guard let integers = try Self.integers(in: list, evaluator) else { break }
            return [.rowids(integers)]
        case .like(.like, .column(let column), let pattern, let escape, let isNegated) where pattern.isConstant:
            guard case .text(let text) = try constant(pattern), text.count <= SQLPattern.maximumLength else {
                return [.expression(term)]
            }
            var escapeCharacter: ArraySlice<UInt8> = []
            if let escape {
                guard escape.isConstant, case .text(let text) = try constant(escape) else { return [.expression(term)] }
                guard text.count == 1 else { return [.expression(term)] }
                escapeCharacter = text
            }
            if escapeCharacter.isEmpty, let search = SQLPattern.Search(Array(text.upToNUL)) {
                return [.search(column: column, search, isNegated: isNegated)]
            }
            return [
                .like(
                    column: column, pattern: Array(text.upToNUL), escape: Array(escapeCharacter), isNegated: isNegated)
            ]
        default: break
        }
        return [.expression(term)]
    }

    /// The elements of a list of IN; nil unless all are constant integers.
    private static func integers(
        in list: BoundExpression.List, _ evaluator: SQLEvaluator
    ) throws(StoreError) -> Set<Int64>? {
        var integers: Set<Int64> = []
        for element in list.elements {
            guard element.isConstant,
                case .integer(let value) = list.affinity.compared(try evaluator.value(element, in: NoRows(), at: 0))
            else { return nil }
            integers.insert(value)
        }
        return integers
    }

    /// - Returns: nil if no kernel supports this comparison.
    private static func compare(
        _ operand: BoundExpression, _ comparison: SQLComparison, _ constant: SQLValue, _ affinity: ColumnAffinity,
        _ definition: MemoryTableDefinition
    ) -> Predicate? {
        guard comparison != .same, comparison != .different else { return nil }
        let constant = affinity.compared(constant)
        if constant.isNull { return .never }
        switch operand {
        case .rowid:
            guard case .integer(let value) = constant else { return nil }
            return .rowid(comparison, value)
        case .column(let column):
            // The kernel compares stored cells, so the comparison's affinity must not change them.
            let own = definition.affinities[column]
            guard affinity == .blob || affinity == own || affinity.isNumeric && own.isNumeric else { return nil }
            switch constant {
            case .integer(let value): return .integer(column: column, comparison, value)
            case .real(let value): return .real(column: column, comparison, value)
            case .text(let bytes): return .text(column: column, comparison, Array(bytes))
            case .null, .blob: return nil
            }
        default: return nil
        }
    }
}
