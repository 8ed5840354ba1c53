extension SQLParser {
    /// How strongly operators bind, from the weakest (sqlite.org/lang_expr.html, section 2).
    enum Binding: Int {
        case or = 1, and, not, equality, order, bits, sum, product, concatenation, unary
    }

    /// Reads an expression that stands by itself.
    mutating func expression() throws(StoreError) -> SQLExpression {
        try expression(above: 0)
    }

    /// Reads operators that bind more strongly than a given one.
    mutating func expression(above weakest: Int) throws(StoreError) -> SQLExpression {
        nesting += 1
        defer { nesting -= 1 }
        try check(nesting, Self.maximumNesting)
        var left = try operand()
        while let binding = infixBinding(), binding.rawValue > weakest {
            let leftHeight = height
            left =
                arithmeticOperation() == nil
                ? try infix(left, binding) : try arithmetic(left, above: weakest)
            height = max(height, leftHeight) + 1
            try check(height, Self.maximumHeight)
        }
        return left
    }

    private func check(_ depth: Int, _ maximum: Int) throws(StoreError) {
        guard depth <= maximum else {
            throw .unsupportedSQL("an expression of more than \(maximum) levels", at: offset)
        }
    }

    /// Reads an operand of an operator, which may itself begin with one.
    mutating func operand(above binding: Binding) throws(StoreError) -> SQLExpression {
        try expression(above: binding.rawValue)
    }

    // MARK: Operators between two operands

    private func infixBinding() -> Binding? {
        switch current.kind {
        case .sign(let sign):
            switch sign {
            case .equal, .equalTwice, .notEqual, .notEqualC: return .equality
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

    private mutating func infix(_ left: SQLExpression, _ binding: Binding) throws(StoreError) -> SQLExpression {
        guard case .sign(let sign) = current.kind else { return try wordInfix(left) }
        if sign == .arrow || sign == .longArrow { throw .unsupportedSQL(sign.rawValue, at: offset) }
        advance()
        if sign == .concatenate { return try concatenation(left) }
        let right = try operand(above: binding)
        switch sign {
        case .equal, .equalTwice: return .compare(.equal, left, right)
        case .notEqual, .notEqualC: return .compare(.notEqual, left, right)
        case .less: return .compare(.less, left, right)
        case .lessOrEqual: return .compare(.lessOrEqual, left, right)
        case .greater: return .compare(.greater, left, right)
        default: return .compare(.greaterOrEqual, left, right)
        }
    }

    private func arithmeticOperation() -> SQLArithmetic? {
        guard case .sign(let sign) = current.kind else { return nil }
        return switch sign {
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

    /// Reads operators in a row as one, so that a long sum is not deep.
    private mutating func arithmetic(
        _ first: SQLExpression, above weakest: Int
    ) throws(StoreError) -> SQLExpression {
        var steps: [SQLExpression.Step] = []
        var highest = 0
        while let operation = arithmeticOperation(), let binding = infixBinding(), binding.rawValue > weakest {
            advance()
            steps.append(SQLExpression.Step(operation: operation, operand: try operand(above: binding)))
            highest = max(highest, height)
        }
        height = highest
        return .arithmetic(first, steps)
    }

    private mutating func wordInfix(_ left: SQLExpression) throws(StoreError) -> SQLExpression {
        let isNegated = take("NOT")
        let offset = offset
        let keyword = current.keyword
        advance()
        switch keyword {
        case "OR": return try chain(left, "OR", .or) { .any($0) }
        case "AND":
            return try chain(left, "AND", .and) { terms in
                // SQLite forgets at once what stands beside a zero, names that mean nothing included.
                terms.contains(where: \.isZeroWithoutNames) ? .value(.integer(0)) : .all(terms)
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

    /// Reads a row of ANDs or ORs as one operator, so that long ones are not deep.
    private mutating func chain(
        _ first: SQLExpression, _ keyword: String, _ binding: Binding, _ make: ([SQLExpression]) -> SQLExpression
    ) throws(StoreError) -> SQLExpression {
        var terms = [first]
        var highest = 0
        repeat {
            terms.append(try operand(above: binding))
            highest = max(highest, height)
        } while take(keyword)
        height = highest
        return make(terms)
    }

    /// As a chain of ANDs.
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
        if sees("DISTINCT"), following.keyword == "FROM" {
            advance()
            advance()
            isNegated.toggle()
        }
        return .compare(isNegated ? .different : .same, left, try operand(above: .equality))
    }

    private mutating func membership(_ left: SQLExpression, isNegated: Bool) throws(StoreError) -> SQLExpression {
        let start = offset
        guard take(.leftParenthesis) else { throw .unsupportedSQL("IN with a table", at: start) }
        try refuse("SELECT", "WITH", "VALUES")
        let (elements, isEmpty) = try list()
        // As in SQLite, what is left of it is not even looked up.
        if isEmpty { return .truth(isNegated) }
        return .list(left, in: elements, isNegated: isNegated)
    }

    /// Reads expressions up to a closing parenthesis.
    mutating func list() throws(StoreError) -> ([SQLExpression], isEmpty: Bool) {
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
