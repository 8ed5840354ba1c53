import StoreCore

/// A token of an SQL text, with its source range.
struct SQLToken: Hashable, Sendable {
    /// Quote style of a name.
    enum Quote: Hashable, Sendable { case none, double, backtick, bracket }

    enum Kind: Hashable, Sendable {
        /// A name or a keyword; most keywords are not reserved, so only the grammar tells which.
        case word(String, Quote)
        case text([UInt8])
        case blob([UInt8])
        case integer(Int64)
        /// A number with a point or an exponent, or an integer beyond 64 bits.
        case real(Double)
        /// `?`, or `?NNN` with its number.
        case numberedParameter(Int?)
        /// `:name`, `@name` or `$name`, including the prefix.
        case namedParameter(String)
        case symbol(Symbol)
        case end
    }

    enum Symbol: String, CaseIterable, Hashable, Sendable {
        case leftParenthesis = "("
        case rightParenthesis = ")"
        case comma = ","
        case semicolon = ";"
        case dot = "."
        case star = "*"
        case slash = "/"
        case percent = "%"
        case plus = "+"
        case minus = "-"
        case arrow = "->"
        case longArrow = "->>"
        case concatenate = "||"
        case or = "|"
        case and = "&"
        case not = "~"
        case shiftLeft = "<<"
        case shiftRight = ">>"
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case equal = "="
        case doubleEqual = "=="
        case notEqual = "<>"
        case bangEqual = "!="
    }

    let kind: Kind
    /// Byte range in the source text.
    let range: Range<Int>

    /// The unquoted ASCII word in upper case; nil for other tokens.
    var keyword: String? {
        if case .word(let word, .none) = kind { word.asciiUppercased } else { nil }
    }
}
