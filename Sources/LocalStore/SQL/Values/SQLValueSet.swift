/// A hash set of values, equal as in a comparison: 1 equals 1.0, and NULL equals nothing.
struct SQLValueSet: Sendable {
    private var index: HashIndex
    private var values: [SQLValue] = []
    /// True once NULL was inserted.
    private(set) var hasNull = false

    init(_ seed: HashSeed) { index = HashIndex(seed) }

    mutating func insert(_ value: SQLValue) {
        guard let hash = index.seed.hash(value) else {
            hasNull = true
            return
        }
        guard !contains(value, hash) else { return }
        index.insert(values.count, hash: hash)
        values.append(value)
    }

    /// The result of IN; nil for unknown.
    func contains(_ value: SQLValue) -> Bool? {
        guard let hash = index.seed.hash(value) else { return nil }
        return contains(value, hash) ? true : hasNull ? nil : false
    }

    private func contains(_ value: SQLValue, _ hash: UInt32) -> Bool {
        index.row(hash: hash) { SQLValue.order(values[$0], value) == 0 } != nil
    }
}
