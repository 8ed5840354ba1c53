/// A word, number, string or sign of an SQL text, with its place.
struct SQLToken: Hashable, Sendable {
    /// How a name was put in quotes. It matters for one case: in double quotes, a name that names no column is text.
    enum Quote: Hashable, Sendable { case none, double, backtick, bracket }

    enum Kind: Hashable, Sendable {
        /// A name or a keyword; SQL keeps few words for itself, so which of the two shows only in the grammar.
        case word(String, Quote)
        case text([UInt8])
        case blob([UInt8])
        case integer(Int64)
        /// A number with a point or an exponent, or an integer that needs more than 64 bits.
        case real(Double)
        /// `?`, or `?NNN` with its number.
        case position(Int?)
        /// `:name`, `@name` or `$name`, sign included.
        case named(String)
        case sign(Sign)
        case end
    }

    enum Sign: String, CaseIterable, Hashable, Sendable {
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
        case equalTwice = "=="
        case notEqual = "<>"
        case notEqualC = "!="
    }

    let kind: Kind
    /// The bytes of the text that the token takes.
    let range: Range<Int>

    /// The word in capitals, when the token is one of ASCII letters that is not in quotes.
    var keyword: String? {
        if case .word(let word, .none) = kind { word.asciiUppercased } else { nil }
    }
}
