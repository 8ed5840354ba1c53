/// Keeps the plans of the statements that were used last.
///
/// Statements are compared byte by byte: two that are equal as Swift's strings may be different texts to SQL.
struct PlanCache {
    private struct Generation {
        var index: HashIndex
        var entries: [(sql: String, plan: MemoryPlan)] = []

        init(_ seed: HashSeed) { index = HashIndex(seed) }

        func place(_ bytes: UnsafeRawBufferPointer, hash: UInt32) -> Int? {
            index.row(hash: hash) { PlanCache.isSame(entries[$0].sql, bytes) }
        }
    }

    private static let capacity = 128
    /// How many bytes a statement may have that is kept: a longer one holds its values, and does not come again.
    private static let longest = 16 << 10
    private var recent: Generation
    /// Those that were not used since ``recent`` was last full.
    private var older: Generation
    private let seed: HashSeed

    init(_ seed: HashSeed) {
        self.seed = seed
        recent = Generation(seed)
        older = Generation(seed)
    }

    /// - Parameter version: of the schema; a plan for another one is of no use.
    mutating func plan(_ sql: inout String, version: Int) -> MemoryPlan? {
        guard sql.utf8.count <= Self.longest else { return nil }
        var isOld = false
        let plan: MemoryPlan? = sql.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            let hash = seed.hash(bytes)
            if let place = recent.place(bytes, hash: hash) { return recent.entries[place].plan }
            isOld = true
            return older.place(bytes, hash: hash).map { older.entries[$0].plan }
        }
        guard let plan, plan.schemaVersion == version else { return nil }
        if isOld { keep(plan, for: &sql) }
        return plan
    }

    mutating func keep(_ plan: MemoryPlan, for sql: inout String) {
        guard sql.utf8.count <= Self.longest else { return }
        let (hash, place) = sql.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            let hash = seed.hash(bytes)
            return (hash, recent.place(bytes, hash: hash))
        }
        if let place {
            recent.entries[place].plan = plan
            return
        }
        if recent.entries.count >= Self.capacity {
            older = recent
            recent = Generation(seed)
        }
        recent.index.insert(recent.entries.count, hash: hash)
        recent.entries.append((sql, plan))
    }

    private static func isSame(_ sql: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let isSame = sql.utf8.withContiguousStorageIfAvailable {
            SQLValue.order(UnsafeRawBufferPointer($0), bytes) == 0
        }
        return isSame ?? sql.utf8.elementsEqual(bytes)
    }
}
