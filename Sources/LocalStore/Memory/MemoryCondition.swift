/// A WHERE, made ready: the terms that must all be true, and the hash that leads to the only row that can be wanted.
struct MemoryCondition: Sendable {
    enum Lookup: Sendable {
        case rowid(BoundExpression)
        case key(Int, [BoundExpression], ColumnAffinities)
        typealias ColumnAffinities = [ColumnAffinity]
    }

    let lookup: Lookup?
    /// All terms but those that the lookup answers.
    let terms: [BoundExpression]

    static let none = MemoryCondition(lookup: nil, terms: [])

    private init(lookup: Lookup?, terms: [BoundExpression]) {
        self.lookup = lookup
        self.terms = terms
    }

    /// - Parameter table: nil when there is none that has hashes.
    init(_ condition: BoundExpression?, table: MemoryTable?) {
        var terms: [BoundExpression] = []
        func split(_ term: BoundExpression) {
            if case .all(let parts) = term { parts.forEach(split) } else { terms.append(term) }
        }
        if let condition { split(condition) }
        if let place = terms.firstIndex(where: { Self.rowidValue($0) != nil }), table != nil,
            let value = Self.rowidValue(terms[place])
        {
            lookup = .rowid(value)
            terms.remove(at: place)
        } else {
            lookup = table.flatMap { Self.keyLookup($0, &terms) }
        }
        self.terms = terms
    }

    /// The constant that a term wants the rowid to equal.
    private static func rowidValue(_ term: BoundExpression) -> BoundExpression? {
        guard case .compare(.equal, let left, let right, _) = term else { return nil }
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
                for (place, term) in terms.enumerated() where used.count == values.count && !used.contains(place) {
                    guard case .compare(.equal, let left, let right, affinity) = term else { continue }
                    if case .column(column) = left, right.isConstant {
                        values.append(right)
                    } else if case .column(column) = right, left.isConstant {
                        values.append(left)
                    } else {
                        continue
                    }
                    used.append(place)
                    break
                }
            }
            guard values.count == key.columns.count else { continue }
            for place in used.sorted(by: >) { terms.remove(at: place) }
            return .key(index, values, key.columns.map { table.definition.affinities[$0] })
        }
        return nil
    }
}
