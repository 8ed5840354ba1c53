/// An expression with resolved names and comparison affinities, ready to evaluate for any row.
indirect enum BoundExpression: Sendable {
    case value(SQLValue)
    case column(Int)
    case rowid
    case parameter(Int)
    /// The result of an aggregate function, by index.
    case aggregate(Int)
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
    struct Bound: Sendable {
        let expression: BoundExpression
        let affinity: ColumnAffinity
    }

    struct Step: Sendable {
        let operation: SQLArithmetic
        let operand: BoundExpression
    }

    /// The list of IN.
    struct List: Sendable {
        let elements: [BoundExpression]
        /// Affinity of the comparisons.
        let affinity: ColumnAffinity
        /// True if evaluating an element may throw.
        let mayFail: Bool
        /// True if SQLite evaluates all elements before it compares any.
        let isEager: Bool

        init(_ elements: [BoundExpression], _ affinity: ColumnAffinity) {
            self.elements = elements
            self.affinity = affinity
            mayFail = !elements.allSatisfy(\.isLeaf)
            isEager = mayFail && elements.count > 2 && elements.allSatisfy(\.isConstant)
        }
    }

    /// True for expressions that cannot fail.
    private var isLeaf: Bool {
        switch self {
        case .value, .parameter, .column, .rowid, .aggregate: true
        default: false
        }
    }

    struct Branch: Sendable {
        let condition: BoundExpression
        /// Affinity of the comparison with the CASE operand, if there is one.
        let affinity: ColumnAffinity
        let result: BoundExpression
    }

    /// True if the value is the same for every row.
    var isConstant: Bool {
        switch self {
        case .value, .parameter: true
        case .column, .rowid, .aggregate: false
        case .negate(let operand), .complement(let operand), .not(let operand), .isNull(let operand, _),
            .isTruth(let operand, _, _), .cast(let operand, _):
            operand.isConstant
        case .and(let operands), .or(let operands), .concatenate(let operands), .call(_, let operands):
            operands.allSatisfy(\.isConstant)
        case .compare(_, let left, let right, _): left.isConstant && right.isConstant
        case .arithmetic(let first, let steps): first.isConstant && steps.allSatisfy(\.operand.isConstant)
        case .between(let operand, let low, let high, _):
            operand.isConstant && low.expression.isConstant && high.expression.isConstant
        case .in(let operand, let list, _): operand.isConstant && list.elements.allSatisfy(\.isConstant)
        case .like(_, let operand, let pattern, let escape, _):
            operand.isConstant && pattern.isConstant && escape?.isConstant ?? true
        case .case(let base, let branches, let otherwise):
            base?.isConstant ?? true && otherwise?.isConstant ?? true
                && branches.allSatisfy { $0.condition.isConstant && $0.result.isConstant }
        }
    }
}
