/// An expression whose names are found and whose conversions are decided, ready to be computed for any row.
indirect enum BoundExpression: Sendable {
    case value(SQLValue)
    case column(Int)
    case rowid
    case parameter(Int)
    /// What an aggregate function came to.
    case aggregate(Int)
    case negate(BoundExpression)
    case complement(BoundExpression)
    case not(BoundExpression)
    case all([BoundExpression])
    case any([BoundExpression])
    case compare(SQLComparison, BoundExpression, BoundExpression, ColumnAffinity)
    /// Operators in a row, from the left to the right.
    case arithmetic(BoundExpression, [Step])
    case concatenate([BoundExpression])
    case isNull(BoundExpression, isNegated: Bool)
    /// `IS TRUE` and its like.
    case isTruth(BoundExpression, Bool, isNegated: Bool)
    case between(BoundExpression, low: Bound, high: Bound, isNegated: Bool)
    case list(BoundExpression, in: List, isNegated: Bool)
    case like(
        SQLPattern.Style, BoundExpression, pattern: BoundExpression, escape: BoundExpression?, isNegated: Bool)
    case choice(of: BoundExpression?, [Branch], otherwise: BoundExpression?)
    case cast(BoundExpression, ColumnAffinity)
    case call(SQLFunction, [BoundExpression])

    /// One end of BETWEEN, with the affinity of its comparison.
    struct Bound: Sendable {
        let expression: BoundExpression
        let affinity: ColumnAffinity
    }

    struct Step: Sendable {
        let operation: SQLArithmetic
        let operand: BoundExpression
    }

    /// What stands behind IN.
    struct List: Sendable {
        let elements: [BoundExpression]
        /// How the elements are compared.
        let affinity: ColumnAffinity
        /// True when computing an element may throw.
        let mayFail: Bool
        /// True when SQLite computes all elements before it compares any.
        let isEager: Bool

        init(_ elements: [BoundExpression], _ affinity: ColumnAffinity) {
            self.elements = elements
            self.affinity = affinity
            mayFail = !elements.allSatisfy(\.isLeaf)
            isEager = mayFail && elements.count > 2 && elements.allSatisfy(\.isConstant)
        }
    }

    /// True for what is only looked up.
    private var isLeaf: Bool {
        switch self {
        case .value, .parameter, .column, .rowid, .aggregate: true
        default: false
        }
    }

    struct Branch: Sendable {
        let condition: BoundExpression
        /// How the condition is compared with the value of the CASE, when that has one.
        let affinity: ColumnAffinity
        let result: BoundExpression
    }

    /// True when the value is the same for every row.
    var isConstant: Bool {
        switch self {
        case .value, .parameter: true
        case .column, .rowid, .aggregate: false
        case .negate(let operand), .complement(let operand), .not(let operand), .isNull(let operand, _),
            .isTruth(let operand, _, _), .cast(let operand, _):
            operand.isConstant
        case .all(let operands), .any(let operands), .concatenate(let operands), .call(_, let operands):
            operands.allSatisfy(\.isConstant)
        case .compare(_, let left, let right, _): left.isConstant && right.isConstant
        case .arithmetic(let first, let steps): first.isConstant && steps.allSatisfy(\.operand.isConstant)
        case .between(let operand, let low, let high, _):
            operand.isConstant && low.expression.isConstant && high.expression.isConstant
        case .list(let operand, let list, _): operand.isConstant && list.elements.allSatisfy(\.isConstant)
        case .like(_, let operand, let pattern, let escape, _):
            operand.isConstant && pattern.isConstant && escape?.isConstant ?? true
        case .choice(let base, let branches, let otherwise):
            base?.isConstant ?? true && otherwise?.isConstant ?? true
                && branches.allSatisfy { $0.condition.isConstant && $0.result.isConstant }
        }
    }
}
