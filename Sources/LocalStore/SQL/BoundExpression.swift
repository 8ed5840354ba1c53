import StoreCore

/// An expression with resolved names and comparison affinities, ready to evaluate for any row.
indirect enum BoundExpression: Equatable, Sendable {
    case value(SQLValue)
    case column(Int)
    case rowid
    case parameter(Int)
    /// The result of an aggregate function, by index.
    case aggregate(Int)
    /// `last_insert_rowid()` or `changes()`.
    case session(SQLSession.Function)
    case negate(BoundExpression)
    case complement(BoundExpression)
    case not(BoundExpression)
    case and([BoundExpression])
    case or([BoundExpression])
    case compare(SQLComparison, BoundExpression, BoundExpression, ColumnAffinity)
    /// A chain of operators, evaluated from left to right.
    case arithmetic(BoundExpression, [Step])
    case concatenate([BoundExpression])
    case isNull(BoundExpression, isNegated: Bool)
    /// `IS [NOT] TRUE` and `IS [NOT] FALSE`.
    case isTruth(BoundExpression, Bool, isNegated: Bool)
    case between(BoundExpression, low: Bound, high: Bound, isNegated: Bool)
    case `in`(BoundExpression, List, isNegated: Bool)
    case like(
        SQLPattern.Style, BoundExpression, pattern: BoundExpression, escape: BoundExpression?, isNegated: Bool)
    case `case`(BoundExpression?, [Branch], otherwise: BoundExpression?)
    case cast(BoundExpression, ColumnAffinity)
    case call(SQLFunction, [BoundExpression])

    /// A bound of BETWEEN, with the affinity of its comparison.
    struct Bound: Equatable, Sendable {
        let expression: BoundExpression
        let affinity: ColumnAffinity
    }

    struct Step: Equatable, Sendable {
        let operation: SQLArithmetic
        let operand: BoundExpression
    }

    /// The list of IN. A class, whose identity is the key in ``SQLListSets``.
    final class List: Equatable, Sendable {
        let elements: [BoundExpression]
        /// Affinity of the comparisons.
        let affinity: ColumnAffinity
        /// True if evaluating an element may throw.
        let mayFail: Bool
        /// True if SQLite evaluates all elements before it compares any.
        let isEager: Bool
        /// True if it is worth a hash set: it has many elements, which are the same for every row.
        let isLong: Bool

        init(_ elements: [BoundExpression], _ affinity: ColumnAffinity) {
            self.elements = elements
            self.affinity = affinity
            mayFail = !elements.allSatisfy(\.isLeaf)
            isEager = mayFail && elements.count > 2 && elements.allSatisfy(\.isConstant)
            isLong = elements.count >= SQLListSets.leastCount && elements.allSatisfy(\.isFixed)
        }

        static func == (one: List, other: List) -> Bool {
            one === other || one.affinity == other.affinity && one.elements == other.elements
        }
    }

    /// True for expressions that cannot fail.
    private var isLeaf: Bool {
        switch self {
        case .value, .parameter, .column, .rowid, .aggregate, .session: true
        default: false
        }
    }

    struct Branch: Equatable, Sendable {
        let condition: BoundExpression
        /// Affinity of the comparison with the CASE operand, if there is one.
        let affinity: ColumnAffinity
        let result: BoundExpression
    }

    /// True if the value is the same for every row.
    var isConstant: Bool { isComposed(of: \.isValue) }

    /// True if the value is the same throughout a statement; `last_insert_rowid()` changes within an INSERT.
    private var isFixed: Bool {
        isComposed { part in
            switch part {
            case .value, .parameter: true
            default: false
            }
        }
    }

    /// True if a part is the result of an aggregate function.
    var hasAggregate: Bool {
        !isComposed { part in
            switch part {
            case .column, .rowid: true
            default: part.isValue
            }
        }
    }

    /// True if a part is a parameter.
    var hasParameter: Bool {
        !isComposed { part in
            switch part {
            case .value, .session, .column, .rowid, .aggregate: true
            default: false
            }
        }
    }

    /// True for a literal, a parameter, `last_insert_rowid()` and `changes()`.
    private var isValue: Bool {
        switch self {
        case .value, .parameter, .session: true
        default: false
        }
    }

    /// True if the expression consists of parts for which `isPart` is true, and of operators and functions.
    func isComposed(of isPart: (BoundExpression) -> Bool) -> Bool {
        if isPart(self) { return true }
        func isWhole(_ expression: BoundExpression) -> Bool { expression.isComposed(of: isPart) }
        switch self {
        case .value, .parameter, .session, .column, .rowid, .aggregate: return false
        case .negate(let operand), .complement(let operand), .not(let operand), .isNull(let operand, _),
            .isTruth(let operand, _, _), .cast(let operand, _):
            return isWhole(operand)
        case .and(let operands), .or(let operands), .concatenate(let operands), .call(_, let operands):
            return operands.allSatisfy(isWhole)
        case .compare(_, let left, let right, _): return isWhole(left) && isWhole(right)
        case .arithmetic(let first, let steps): return isWhole(first) && steps.allSatisfy { isWhole($0.operand) }
        case .between(let operand, let low, let high, _):
            return isWhole(operand) && isWhole(low.expression) && isWhole(high.expression)
        case .in(let operand, let list, _): return isWhole(operand) && list.elements.allSatisfy(isWhole)
        case .like(_, let operand, let pattern, let escape, _):
            return isWhole(operand) && isWhole(pattern) && escape.map(isWhole) ?? true
        case .case(let base, let branches, let otherwise):
            return base.map(isWhole) ?? true && otherwise.map(isWhole) ?? true
                && branches.allSatisfy { isWhole($0.condition) && isWhole($0.result) }
        }
    }
}
