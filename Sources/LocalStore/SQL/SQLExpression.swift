import StoreCore

/// Syntax tree of an expression, with unresolved names.
indirect enum SQLExpression: Sendable {
    case value(SQLValue)
    /// The result of `IN ()`. Unlike a number, it is a truth value after IS.
    case truth(Bool)
    case column(SQLName)
    /// Index of a parameter, from 0.
    case parameter(Int)
    case negate(SQLExpression)
    /// A plus sign: the operand without its column's affinity.
    case unaryPlus(SQLExpression)
    case complement(SQLExpression)
    case not(SQLExpression)
    /// AND of two or more operands.
    case and([SQLExpression])
    /// OR of two or more operands.
    case or([SQLExpression])
    case compare(SQLComparison, SQLExpression, SQLExpression)
    /// A chain of operators, evaluated from left to right.
    case arithmetic(SQLExpression, [Step])
    case concatenate([SQLExpression])
    case isNull(SQLExpression, isNegated: Bool)
    case between(SQLExpression, SQLExpression, SQLExpression, isNegated: Bool)
    case `in`(SQLExpression, [SQLExpression], isNegated: Bool)
    case like(SQLPattern.Style, SQLExpression, pattern: SQLExpression, escape: SQLExpression?, isNegated: Bool)
    case `case`(SQLExpression?, [Branch], otherwise: SQLExpression?)
    case cast(SQLExpression, ColumnAffinity)
    case call(SQLCall)

    /// The value of a 32-bit integer literal: in ORDER BY, it is a column number.
    var smallInteger: Int? {
        switch self {
        case .value(.integer(let value)): value.magnitude < 1 << 31 ? Int(value) : nil
        case .unaryPlus(let inner): inner.smallInteger
        case .negate(let inner): inner.smallInteger.map { -$0 }
        default: nil
        }
    }

    /// True for a literal zero, which makes an AND zero before names are resolved.
    var isZeroWithoutNames: Bool {
        switch self {
        case .value(.integer(0)), .truth(false): true
        default: false
        }
    }

    /// True for a plus sign anywhere; see ``unaryPlus(_:)``.
    var hasUnaryPlus: Bool {
        switch self {
        case .unaryPlus: true
        case .value, .truth, .column, .parameter: false
        case .negate(let operand), .complement(let operand), .not(let operand), .isNull(let operand, _),
            .cast(let operand, _):
            operand.hasUnaryPlus
        case .and(let operands), .or(let operands), .concatenate(let operands): operands.contains(where: \.hasUnaryPlus)
        case .compare(_, let left, let right): left.hasUnaryPlus || right.hasUnaryPlus
        case .arithmetic(let first, let steps): first.hasUnaryPlus || steps.contains { $0.operand.hasUnaryPlus }
        case .between(let operand, let low, let high, _): [operand, low, high].contains(where: \.hasUnaryPlus)
        case .in(let operand, let elements, _): operand.hasUnaryPlus || elements.contains(where: \.hasUnaryPlus)
        case .like(_, let operand, let pattern, let escape, _):
            operand.hasUnaryPlus || pattern.hasUnaryPlus || escape?.hasUnaryPlus ?? false
        case .case(let base, let branches, let otherwise):
            base?.hasUnaryPlus ?? false || otherwise?.hasUnaryPlus ?? false
                || branches.contains { $0.condition.hasUnaryPlus || $0.result.hasUnaryPlus }
        case .call(let call): call.arguments.contains(where: \.hasUnaryPlus)
        }
    }

    struct Step: Sendable {
        let operation: SQLArithmetic
        let operand: SQLExpression
    }

    struct Branch: Sendable {
        let condition: SQLExpression
        let result: SQLExpression
    }
}

/// A column name in an expression.
struct SQLName: Sendable {
    let table: String?
    let name: String
    let quote: SQLToken.Quote
    let offset: Int
    /// True for a name in double quotes that is text if it names no column: SQLite's default.
    var isTextOtherwise = false
}

/// A function call.
struct SQLCall: Sendable {
    /// In lower case.
    let name: String
    let arguments: [SQLExpression]
    /// True for `count(*)`.
    let isStar: Bool
    /// True for DISTINCT before the arguments.
    let isDistinct: Bool
    /// The condition of a FILTER clause.
    let filter: SQLExpression?
    let offset: Int
}
