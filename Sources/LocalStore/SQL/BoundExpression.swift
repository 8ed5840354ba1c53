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
    case arithmetic(SQLArithmetic, BoundExpression, BoundExpression)
    case concatenate([BoundExpression])
    case isNull(BoundExpression, isNegated: Bool)
    /// `IS TRUE` and its like.
    case isTruth(BoundExpression, Bool, isNegated: Bool)
    case between(BoundExpression, low: Bound, high: Bound, isNegated: Bool)
    case list(BoundExpression, in: [BoundExpression], ColumnAffinity, isNegated: Bool)
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
        case .compare(_, let left, let right, _), .arithmetic(_, let left, let right):
            left.isConstant && right.isConstant
        case .between(let operand, let low, let high, _):
            operand.isConstant && low.expression.isConstant && high.expression.isConstant
        case .list(let operand, let elements, _, _): operand.isConstant && elements.allSatisfy(\.isConstant)
        case .like(_, let operand, let pattern, let escape, _):
            operand.isConstant && pattern.isConstant && escape?.isConstant ?? true
        case .choice(let base, let branches, let otherwise):
            base?.isConstant ?? true && otherwise?.isConstant ?? true
                && branches.allSatisfy { $0.condition.isConstant && $0.result.isConstant }
        }
    }
}
