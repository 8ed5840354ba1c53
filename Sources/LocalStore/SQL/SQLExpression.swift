/// An expression as it was written: names are not looked up yet.
indirect enum SQLExpression: Sendable {
    case value(SQLValue)
    /// What `IN ()` comes to. Unlike a number, it asks for truth when it stands behind IS.
    case truth(Bool)
    case column(SQLName)
    /// The place of a parameter, from 0.
    case parameter(Int)
    case negate(SQLExpression)
    /// A plus sign: the value itself, without the affinity of a column.
    case plain(SQLExpression)
    case complement(SQLExpression)
    case not(SQLExpression)
    /// AND of two or more.
    case all([SQLExpression])
    /// OR of two or more.
    case any([SQLExpression])
    case compare(SQLComparison, SQLExpression, SQLExpression)
    /// Operators in a row, from the left to the right.
    case arithmetic(SQLExpression, [Step])
    case concatenate([SQLExpression])
    case isNull(SQLExpression, isNegated: Bool)
    case between(SQLExpression, SQLExpression, SQLExpression, isNegated: Bool)
    case list(SQLExpression, in: [SQLExpression], isNegated: Bool)
    case like(SQLPattern.Style, SQLExpression, pattern: SQLExpression, escape: SQLExpression?, isNegated: Bool)
    case choice(of: SQLExpression?, [Branch], otherwise: SQLExpression?)
    case cast(SQLExpression, ColumnAffinity)
    case call(SQLCall)

    /// The integer that is written here, if it is one of 32 bits: such a one counts columns in ORDER BY.
    var smallInteger: Int? {
        switch self {
        case .value(.integer(let value)): value.magnitude < 1 << 31 ? Int(value) : nil
        case .plain(let inner): inner.smallInteger
        case .negate(let inner): inner.smallInteger.map { -$0 }
        default: nil
        }
    }

    /// True for a zero that makes an AND zero before its names are looked up.
    var isZeroWithoutNames: Bool {
        switch self {
        case .value(.integer(0)), .truth(false): true
        default: false
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

/// A name in an expression.
struct SQLName: Sendable {
    let table: String?
    let name: String
    let quote: SQLToken.Quote
    let offset: Int
}

/// A function with its arguments.
struct SQLCall: Sendable {
    /// In small letters.
    let name: String
    let arguments: [SQLExpression]
    /// True for `count(*)`.
    let isStar: Bool
    let offset: Int
}
