/// A cache of query plans that approximates LRU with two generations.
///
/// A full recent generation becomes the old one, and the previous old one is dropped; a hit in the old generation moves
/// to the recent one. Statements are compared by bytes: strings that are equal in Swift (canonical equivalence) may be
/// different SQL.
struct PlanCache {
    private struct Generation {
        var index: HashIndex
        var entries: [(sql: String, plan: MemoryPlan)] = []

        init(_ seed: HashSeed) { index = HashIndex(seed) }

        func position(of bytes: UnsafeRawBufferPointer, hash: UInt32) -> Int? {
            index.row(hash: hash) { PlanCache.isSame(entries[$0].sql, bytes) }
        }
    }

    private static let capacity = 128
    /// Size limit of a cached statement, in bytes; a longer one contains its values and is unlikely to recur.
    private static let maximumStatementSize = 16 << 10
    private var recent: Generation
    /// Plans not used since ``recent`` was last full.
    private var older: Generation
    private let seed: HashSeed

    init(_ seed: HashSeed) {
        self.seed = seed
        recent = Generation(seed)
        older = Generation(seed)
    }

    /// - Parameter version: the current schema version; a plan for another one is a miss.
    mutating func plan(_ sql: inout String, version: Int) -> MemoryPlan? {
        guard sql.utf8.count <= Self.maximumStatementSize else { return nil }
        var isOld = false
        let plan: MemoryPlan? = sql.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            let hash = seed.hash(bytes)
            if let position = recent.position(of: bytes, hash: hash) { return recent.entries[position].plan }
            isOld = true
            return older.position(of: bytes, hash: hash).map { older.entries[$0].plan }
        }
        guard let plan, plan.schemaVersion == version else { return nil }
        if isOld { insert(plan, for: &sql) }
        return plan
    }

    mutating func insert(_ plan: MemoryPlan, for sql: inout String) {
        guard sql.utf8.count <= Self.maximumStatementSize else { return }
        let (hash, position) = sql.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            let hash = seed.hash(bytes)
            return (hash, recent.position(of: bytes, hash: hash))
        }
        if let position {
            recent.entries[position].plan = plan
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
