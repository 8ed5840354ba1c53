/// A hash set of rows of values, equal as in DISTINCT: NULL equals NULL, and 1 equals 1.0.
struct DistinctRows {
    private var index: HashIndex
    private var rows: [[SQLValue]] = []

    init(_ seed: HashSeed) { index = HashIndex(seed) }

    /// - Returns: false if an equal row is in the set already.
    mutating func insert(_ row: [SQLValue]) -> Bool {
        let hash = index.seed.hash(row.map { $0.isNull ? .text("") : $0 }) ?? 0
        let known = index.row(hash: hash) { position in
            zip(rows[position], row).allSatisfy { SQLValue.order($0, $1) == 0 }
        }
        guard known == nil else { return false }
        index.insert(rows.count, hash: hash)
        rows.append(row)
        return true
    }

    mutating func removeAll() { self = DistinctRows(index.seed) }
}
