import StoreCore

extension SQLParser {
    /// Operator precedence, from the weakest (sqlite.org/lang_expr.html, section 2).
    enum Precedence: Int {
        case or = 1, and, not, equality, order, bits, sum, product, concatenation, unary
    }

    /// Parses a whole expression.
    mutating func expression() throws(StoreError) -> SQLExpression {
        try expression(above: 0)
    }

    /// Precedence climbing: parses operators of a precedence above `weakest`.
    mutating func expression(above weakest: Int) throws(StoreError) -> SQLExpression {
        nesting += 1
        defer { nesting -= 1 }
        try check(nesting, Self.maximumNesting)
        var left = try operand()
        while let precedence = infixPrecedence(), precedence.rawValue > weakest {
            let leftHeight = height
            left =
                arithmeticOperation() == nil
                ? try infix(left, precedence) : try arithmetic(left, above: weakest)
            height = max(height, leftHeight) + 1
            try check(height, Self.maximumHeight)
        }
        return left
    }

    private func check(_ depth: Int, _ maximum: Int) throws(StoreError) {
        guard depth <= maximum else {
            throw .unsupportedSQL("expression deeper than \(maximum) levels", at: offset)
        }
    }

    /// Parses the right operand of an operator.
    mutating func operand(above precedence: Precedence) throws(StoreError) -> SQLExpression {
        try expression(above: precedence.rawValue)
    }

    // MARK: Infix operators

    private func infixPrecedence() -> Precedence? {
        switch current.kind {
        case .symbol(let symbol):
            switch symbol {
            case .equal, .doubleEqual, .notEqual, .bangEqual: return .equality
            case .less, .lessOrEqual, .greater, .greaterOrEqual: return .order
            case .and, .or, .shiftLeft, .shiftRight: return .bits
            case .plus, .minus: return .sum
            case .star, .slash, .percent: return .product
            case .concatenate, .arrow, .longArrow: return .concatenation
            default: return nil
            }
        case .word(_, .none):
            switch current.keyword {
            case "OR": return .or
            case "AND": return .and
            case "IS", "IN", "LIKE", "GLOB", "REGEXP", "MATCH", "BETWEEN", "ISNULL", "NOTNULL": return .equality
            case "NOT":
                switch following.keyword {
                case "IN", "LIKE", "GLOB", "REGEXP", "MATCH", "BETWEEN", "NULL": return .equality
                default: return nil
                }
            case "COLLATE": return .unary
            default: return nil
            }
        default: return nil
        }
    }

    private mutating func infix(_ left: SQLExpression, _ precedence: Precedence) throws(StoreError) -> SQLExpression {
        guard case .symbol(let symbol) = current.kind else { return try keywordInfix(left) }
        if symbol == .arrow || symbol == .longArrow { throw .unsupportedSQL(symbol.rawValue, at: offset) }
        advance()
        if symbol == .concatenate { return try concatenation(left) }
        let right = try operand(above: precedence)
        switch symbol {
        case .equal, .doubleEqual: return .compare(.equal, left, right)
        case .notEqual, .bangEqual: return .compare(.notEqual, left, right)
        case .less: return .compare(.less, left, right)
        case .lessOrEqual: return .compare(.lessOrEqual, left, right)
        case .greater: return .compare(.greater, left, right)
        default: return .compare(.greaterOrEqual, left, right)
        }
    }

    private func arithmeticOperation() -> SQLArithmetic? {
        guard case .symbol(let symbol) = current.kind else { return nil }
        return switch symbol {
        case .and: .bitAnd
        case .or: .bitOr
        case .shiftLeft: .shiftLeft
        case .shiftRight: .shiftRight
        case .plus: .add
        case .minus: .subtract
        case .star: .multiply
        case .slash: .divide
        case .percent: .remainder
        default: nil
        }
    }

    /// Parses a chain of operators as one node, so that a long sum is not deep.
    private mutating func arithmetic(
        _ first: SQLExpression, above weakest: Int
    ) throws(StoreError) -> SQLExpression {
        var steps: [SQLExpression.Step] = []
        var highest = 0
        while let operation = arithmeticOperation(), let precedence = infixPrecedence(), precedence.rawValue > weakest {
            advance()
            steps.append(SQLExpression.Step(operation: operation, operand: try operand(above: precedence)))
            highest = max(highest, height)
        }
        height = highest
        return .arithmetic(first, steps)
    }

    private mutating func keywordInfix(_ left: SQLExpression) throws(StoreError) -> SQLExpression {
        let isNegated = take("NOT")
        let offset = offset
        let keyword = current.keyword
        advance()
        switch keyword {
        case "OR": return try chain(left, "OR", .or) { .or($0) }
        case "AND":
            return try chain(left, "AND", .and) { terms in
                // As in SQLite, a literal zero replaces the whole AND at once, so unknown names beside it are no error.
                terms.contains(where: \.isZeroWithoutNames) ? .value(.integer(0)) : .and(terms)
            }
        case "ISNULL": return .isNull(left, isNegated: false)
        case "NOTNULL": return .isNull(left, isNegated: true)
        case "NULL": return .isNull(left, isNegated: true)
        case "IS": return try comparisonWithNull(left)
        case "IN": return try membership(left, isNegated: isNegated)
        case "BETWEEN": return try range(left, isNegated: isNegated)
        case "LIKE": return try match(left, .like, isNegated: isNegated)
        case "GLOB": return try match(left, .glob, isNegated: isNegated)
        default: throw .unsupportedSQL(keyword ?? "this operator", at: offset)
        }
    }

    private mutating func range(_ left: SQLExpression, isNegated: Bool) throws(StoreError) -> SQLExpression {
        let low = try operand(above: .not)
        let lowHeight = height
        try expect("AND")
        let high = try operand(above: .equality)
        height = max(height, lowHeight)
        return .between(left, low, high, isNegated: isNegated)
    }

    private mutating func match(
        _ left: SQLExpression, _ style: SQLPattern.Style, isNegated: Bool
    ) throws(StoreError) -> SQLExpression {
        let pattern = try operand(above: .equality)
        var escape: SQLExpression?
        if take("ESCAPE") {
            let patternHeight = height
            escape = try operand(above: .equality)
            height = max(height, patternHeight)
        }
        return .like(style, left, pattern: pattern, escape: escape, isNegated: isNegated)
    }

    /// Parses a chain of ANDs or ORs as one node, so that a long one is not deep.
    private mutating func chain(
        _ first: SQLExpression, _ keyword: String, _ precedence: Precedence, _ make: ([SQLExpression]) -> SQLExpression
    ) throws(StoreError) -> SQLExpression {
        var terms = [first]
        var highest = 0
        repeat {
            terms.append(try operand(above: precedence))
            highest = max(highest, height)
        } while take(keyword)
        height = highest
        return make(terms)
    }

    /// Parses a chain of `||` as one node.
    private mutating func concatenation(_ first: SQLExpression) throws(StoreError) -> SQLExpression {
        var parts = [first]
        var highest = 0
        repeat {
            parts.append(try operand(above: .concatenation))
            highest = max(highest, height)
        } while take(.concatenate)
        height = highest
        return .concatenate(parts)
    }

    private mutating func comparisonWithNull(_ left: SQLExpression) throws(StoreError) -> SQLExpression {
        var isNegated = take("NOT")
        if isAt("DISTINCT"), following.keyword == "FROM" {
            advance()
            advance()
            isNegated.toggle()
        }
        return .compare(isNegated ? .different : .same, left, try operand(above: .equality))
    }

    private mutating func membership(_ left: SQLExpression, isNegated: Bool) throws(StoreError) -> SQLExpression {
        let start = offset
        guard take(.leftParenthesis) else { throw .unsupportedSQL("IN with a table name", at: start) }
        try rejectUnsupported("SELECT", "WITH", "VALUES")
        let (elements, isEmpty) = try expressionList()
        // As in SQLite, the left operand is dropped without resolving its names.
        if isEmpty { return .truth(isNegated) }
        if elements.count >= SQLListSets.leastCount { hasLongList = true }
        return .in(left, elements, isNegated: isNegated)
    }

    /// Parses comma-separated expressions up to a closing parenthesis.
    mutating func expressionList() throws(StoreError) -> ([SQLExpression], isEmpty: Bool) {
        height = 0
        if take(.rightParenthesis) { return ([], true) }
        var elements: [SQLExpression] = []
        var highest = 0
        repeat {
            elements.append(try expression())
            highest = max(highest, height)
        } while take(.comma)
        try expect(.rightParenthesis)
        height = highest
        return (elements, false)
    }
}
