import StoreCore

/// Resolves the names of an expression and the affinities of its comparisons.
struct SQLBinder {
    /// A call of an aggregate function.
    struct Aggregate: Equatable, Sendable {
        let function: SQLAggregate.Function
        let argument: BoundExpression?
        let separator: BoundExpression?
        let isDistinct: Bool
        /// The condition of FILTER.
        let filter: BoundExpression?
    }

    var scope: SQLScope
    /// The different calls of aggregate functions found so far.
    private(set) var aggregates: [Aggregate] = []
    /// True once there was a bare column, which is one outside of aggregate functions.
    private(set) var hasBareColumn = false
    /// True once there was `last_insert_rowid()` or `changes()`.
    private(set) var usesSession = false
    private var isInAggregate = false
    private var isResolvingAlias = false

    init(_ scope: SQLScope) { self.scope = scope }

    /// - Throws: `StoreError`: `noSuchColumn`; `unsupportedSQL`; `syntax` for a wrong number of arguments.
    mutating func bind(_ expression: SQLExpression) throws(StoreError) -> BoundExpression {
        // Split into several functions to keep stack frames small, as in the evaluator.
        switch expression {
        case .value(let value): return .value(value)
        case .truth(let value): return .value(.truth(value))
        case .column(let name): return try bind(name)
        case .parameter(let index): return .parameter(index)
        case .negate, .unaryPlus, .complement, .not, .isNull, .cast: return try bind(unary: expression)
        case .and(let operands): return .and(try bind(operands))
        case .or(let operands): return .or(try bind(operands))
        case .compare(let comparison, let left, let right): return try bind(comparison, left, right)
        case .arithmetic(let first, let steps): return try bind(first, steps)
        case .concatenate(let operands): return .concatenate(try bind(operands))
        case .between, .in, .like: return try bind(predicate: expression)
        case .case(let base, let branches, let otherwise): return try bind(base, branches, otherwise)
        case .call(let call): return try bind(call)
        }
    }

    private mutating func bind(
        _ first: SQLExpression, _ steps: [SQLExpression.Step]
    ) throws(StoreError) -> BoundExpression {
        let first = try bind(first)
        var bound: [BoundExpression.Step] = []
        for step in steps {
            bound.append(BoundExpression.Step(operation: step.operation, operand: try bind(step.operand)))
        }
        return .arithmetic(first, bound)
    }

    private mutating func bind(unary expression: SQLExpression) throws(StoreError) -> BoundExpression {
        switch expression {
        case .negate(let operand): return .negate(try bind(operand))
        case .complement(let operand): return .complement(try bind(operand))
        case .not(let operand): return .not(try bind(operand))
        case .isNull(let operand, let isNegated): return .isNull(try bind(operand), isNegated: isNegated)
        case .cast(let operand, let affinity): return .cast(try bind(operand), affinity)
        case .unaryPlus(let operand): return try bind(operand)
        default: return .value(.null)
        }
    }

    private mutating func bind(predicate expression: SQLExpression) throws(StoreError) -> BoundExpression {
        switch expression {
        case .between(let operand, let low, let high, let isNegated):
            return .between(
                try bind(operand),
                low: BoundExpression.Bound(expression: try bind(low), affinity: commonAffinity(operand, low)),
                high: BoundExpression.Bound(expression: try bind(high), affinity: commonAffinity(operand, high)),
                isNegated: isNegated)
        case .in(let operand, let elements, let isNegated):
            let operandAffinity = affinity(of: operand) ?? .blob
            let operand = try bind(operand)
            return .in(operand, BoundExpression.List(try bind(elements), operandAffinity), isNegated: isNegated)
        case .like(let style, let operand, let pattern, let escape, let isNegated):
            // In the order of SQLite's function `like(pattern, text, escape)`: the last min() or max() that is bound
            // decides about bare columns.
            let pattern = try bind(pattern)
            return .like(
                style, try bind(operand), pattern: pattern, escape: try bind(optional: escape), isNegated: isNegated)
        default: return .value(.null)
        }
    }

    private mutating func bind(
        _ base: SQLExpression?, _ branches: [SQLExpression.Branch], _ otherwise: SQLExpression?
    ) throws(StoreError) -> BoundExpression {
        let boundBase = try bind(optional: base)
        var bound: [BoundExpression.Branch] = []
        for branch in branches {
            bound.append(
                BoundExpression.Branch(
                    condition: try bind(branch.condition),
                    affinity: base.map { commonAffinity($0, branch.condition) } ?? .blob,
                    result: try bind(branch.result)))
        }
        return .case(boundBase, bound, otherwise: try bind(optional: otherwise))
    }

    mutating func bind(_ expressions: [SQLExpression]) throws(StoreError) -> [BoundExpression] {
        var bound: [BoundExpression] = []
        for expression in expressions { bound.append(try bind(expression)) }
        return bound
    }

    private mutating func bind(optional expression: SQLExpression?) throws(StoreError) -> BoundExpression? {
        guard let expression else { return nil }
        return try bind(expression)
    }

    // MARK: Names

    private mutating func bind(_ name: SQLName) throws(StoreError) -> BoundExpression {
        switch scope.resolve(name) {
        case .column(let index):
            noteColumn()
            return .column(index)
        case .rowid:
            noteColumn()
            return .rowid
        case .excluded(let index): return .column(index)
        case .unknown: break
        }
        if let aliased = alias(name) {
            isResolvingAlias = true
            defer { isResolvingAlias = false }
            return try bind(aliased)
        }
        if let constant = constant(name) { return .value(constant) }
        throw .noSuchColumn(
            name.name, in: name.table ?? scope.table?.text, at: name.offset,
            isDoubleQuoted: name.table == nil && name.quote == .double)
    }

    private mutating func noteColumn() {
        if !isInAggregate { hasBareColumn = true }
    }

    private func alias(_ name: SQLName) -> SQLExpression? {
        name.table == nil && !isResolvingAlias ? scope.aliases[SQLIdentifier(name.name)] : nil
    }

    /// The value of an unresolved name: text, TRUE or FALSE.
    private func constant(_ name: SQLName) -> SQLValue? {
        guard name.table == nil else { return nil }
        if name.isTextOtherwise { return .text(name.name) }
        return truth(name).map { .integer($0 ? 1 : 0) }
    }

    private func truth(_ name: SQLName) -> Bool? {
        guard name.table == nil, name.quote == .none else { return nil }
        return switch name.name.asciiUppercased {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }

    // MARK: Comparisons

    private mutating func bind(
        _ comparison: SQLComparison, _ left: SQLExpression, _ right: SQLExpression
    ) throws(StoreError) -> BoundExpression {
        let isSame = comparison == .same
        if isSame || comparison == .different, let truth = truth(right) {
            return .isTruth(try bind(left), truth, isNegated: !isSame)
        }
        return .compare(comparison, try bind(left), try bind(right), commonAffinity(left, right))
    }

    /// The value of TRUE or FALSE, unless a column or alias has that name.
    private func truth(_ expression: SQLExpression) -> Bool? {
        switch expression {
        case .truth(let value): return value
        case .column(let name):
            guard case .unknown = scope.resolve(name), alias(name) == nil else { return nil }
            return truth(name)
        default: return nil
        }
    }

    /// The affinity that a comparison applies to both sides (sqlite.org/datatype3.html, section 4.2).
    private func commonAffinity(_ left: SQLExpression, _ right: SQLExpression) -> ColumnAffinity {
        switch (affinity(of: left), affinity(of: right)) {
        case (let left?, let right?): left.isNumeric || right.isNumeric ? .numeric : .blob
        case (let one?, nil), (nil, let one?): one
        case (nil, nil): .blob
        }
    }

    /// The affinity of an expression; nil for most, which have none.
    private func affinity(of expression: SQLExpression) -> ColumnAffinity? {
        switch expression {
        case .cast(_, let affinity): return affinity
        case .column(let name):
            switch scope.resolve(name) {
            case .column(let index): return scope.columns[index].affinity
            case .rowid: return .integer
            case .excluded: return nil
            case .unknown: return alias(name).flatMap(affinityOfAlias)
            }
        default: return nil
        }
    }

    private func affinityOfAlias(_ expression: SQLExpression) -> ColumnAffinity? {
        var inner = self
        inner.isResolvingAlias = true
        return inner.affinity(of: expression)
    }

    // MARK: Functions

    private mutating func bind(_ call: SQLCall) throws(StoreError) -> BoundExpression {
        if let function = SQLAggregate.Function(call) { return try bind(call, as: function) }
        if call.filter != nil {
            throw .syntax("FILTER may not be used with non-aggregate \(call.name)()", at: call.offset)
        }
        if !call.isStar, let function = SQLSession.Function(name: call.name) {
            guard call.arguments.isEmpty else {
                throw .syntax("wrong number of arguments to function \(call.name)()", at: call.offset)
            }
            usesSession = true
            return .session(function)
        }
        // As in SQLite, DISTINCT before the arguments of another function has no effect.
        guard !call.isStar, let function = SQLFunction(rawValue: call.name) else {
            throw .unsupportedSQL("function \(call.name)()", at: call.offset)
        }
        guard function.argumentCounts.contains(call.arguments.count) else {
            throw .syntax("wrong number of arguments to function \(call.name)()", at: call.offset)
        }
        return .call(function, try bind(call.arguments))
    }

    private mutating func bind(
        _ call: SQLCall, as function: SQLAggregate.Function
    ) throws(StoreError) -> BoundExpression {
        guard scope.allowsAggregates, !isInAggregate else {
            throw .syntax("misuse of aggregate function \(call.name)()", at: call.offset)
        }
        guard call.isStar ? function == .countAll : function.argumentCounts.contains(call.arguments.count) else {
            throw .syntax("wrong number of arguments to function \(call.name)()", at: call.offset)
        }
        guard !call.isDistinct || call.arguments.count == 1 else {
            throw .syntax("DISTINCT aggregates must have exactly one argument", at: call.offset)
        }
        isInAggregate = true
        defer { isInAggregate = false }
        let arguments = try bind(call.arguments)
        let aggregate = Aggregate(
            function: function, argument: arguments.first, separator: arguments.count > 1 ? arguments[1] : nil,
            isDistinct: call.isDistinct, filter: try bind(optional: call.filter))
        if let index = aggregates.firstIndex(of: aggregate) { return .aggregate(index) }
        aggregates.append(aggregate)
        return .aggregate(aggregates.count - 1)
    }
}
