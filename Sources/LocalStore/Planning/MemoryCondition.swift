import StoreCore

/// A planned WHERE clause: its conjuncts, and an index lookup that finds the only candidate row, if there is one.
struct MemoryCondition: Sendable {
    enum Lookup: Sendable {
        case rowid(BoundExpression)
        /// The index of the key, and for each of its columns the constant and the affinity.
        case key(Int, [BoundExpression], [ColumnAffinity])
    }

    let lookup: Lookup?
    /// The conjuncts that the lookup does not cover.
    let terms: [BoundExpression]

    /// The terms of a condition that is an AND, or the condition itself.
    static func conjuncts(of condition: BoundExpression?) -> [BoundExpression] {
        guard let condition else { return [] }
        guard case .and(let parts) = condition else { return [condition] }
        return parts.flatMap { conjuncts(of: $0) }
    }

    /// - Parameters:
    ///   - conjuncts: conditions of which all must hold.
    ///   - table: the table with the key indexes; nil for none.
    init(_ conjuncts: [BoundExpression], table: MemoryTable?) {
        var terms = conjuncts
        if let position = terms.firstIndex(where: { Self.rowidValue($0) != nil }), table != nil,
            let value = Self.rowidValue(terms[position])
        {
            lookup = .rowid(value)
            terms.remove(at: position)
        } else {
            lookup = table.flatMap { Self.keyLookup($0, &terms) }
        }
        self.terms = terms
    }

    /// The constant side of a term of the form `rowid = constant`.
    ///
    /// The lookup converts the constant to a number, so the comparison must do so too: `+rowid = '5'` is false.
    private static func rowidValue(_ term: BoundExpression) -> BoundExpression? {
        guard case .compare(.equal, let left, let right, let affinity) = term, affinity.isNumeric else { return nil }
        if case .rowid = left, right.isConstant { return right }
        if case .rowid = right, left.isConstant { return left }
        return nil
    }

    private static func keyLookup(_ table: MemoryTable, _ terms: inout [BoundExpression]) -> Lookup? {
        for (index, key) in table.keys.enumerated() {
            var values: [BoundExpression] = []
            var used: [Int] = []
            for column in key.columns {
                let affinity = table.definition.affinities[column]
                for (position, term) in terms.enumerated() where used.count == values.count && !used.contains(position)
                {
                    guard case .compare(.equal, let left, let right, affinity) = term else { continue }
                    if case .column(column) = left, right.isConstant {
                        values.append(right)
                    } else if case .column(column) = right, left.isConstant {
                        values.append(left)
                    } else {
                        continue
                    }
                    used.append(position)
                    break
                }
            }
            guard values.count == key.columns.count else { continue }
            for position in used.sorted(by: >) { terms.remove(at: position) }
            return .key(index, values, key.columns.map { table.definition.affinities[$0] })
        }
        return nil
    }
}
