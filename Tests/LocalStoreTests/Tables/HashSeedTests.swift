import PatchbayTestKit
import Synchronization
import Testing

@testable import LocalStore

/// Resistance to hash flooding by keys from a server. With random hashes, a full table takes fewer than 1.9 probes per
/// lookup; probes are counted, since time depends on the machine.
@Suite struct HashSeedTests {
    private static let count = 40_000

    /// Keys that all collide under an earlier, unseeded hash function.
    private static let collisions: [Int64] = (1...UInt64(count)).map { high in
        // The inverse of 0xD6E8_FEB8_6659_FD93, by Newton's iteration.
        let factor: UInt64 = 0xD6E8_FEB8_6659_FD93
        let inverse = (0..<6).reduce(factor) { inverse, _ in inverse &* (2 &- factor &* inverse) }
        var key = (high << 32 | (high ^ 77)) &* inverse
        key = (key ^ key >> 32) &* inverse
        return Int64(bitPattern: key ^ key >> 32)
    }

    private static let families: [[Int64]] = [
        collisions, (0..<Int64(count)).map { $0 }, (0..<Int64(count)).map { -$0 * 64 },
        (0..<Int64(count)).map { 1_700_000_000_000 + $0 * 1000 }, (0..<Int64(count)).map { $0 << 20 },
        (0..<Int64(count)).map { $0 << 32 }, (0..<Int64(count)).map { $0 << 47 },
        (0..<Int64(count)).map { $0 * $0 }, (0..<Int64(count)).map { Int64(bitPattern: (Double($0) + 0.5).bitPattern) },
    ]

    /// Number of probed slots for one lookup of each key.
    private static func probes(_ hashes: [UInt32], _ seed: HashSeed) -> Int {
        var index = HashIndex(seed)
        for (row, hash) in hashes.enumerated() { index.insert(row, hash: hash) }
        return index.probes
    }

    @Test(arguments: 0..<9) func `keys chosen without the seed do not collide`(family: Int) {
        var generator = SeededGenerator(seed: UInt64(family))
        for _ in 0..<12 {
            let seed = HashSeed(using: &generator)
            let hashes = Self.families[family].map { seed.hash(UInt64(bitPattern: $0)) }
            #expect(Self.probes(hashes, seed) < Self.count * 19 / 10)
        }
    }

    @Test func `texts and pairs chosen without the seed do not collide`() {
        var generator = SeededGenerator(seed: 5)
        let keys: [(Int) -> [SQLValue]] = [
            { [.text("row-\($0)")] }, { [.text(String(repeating: "x", count: 40) + "\($0)")] },
            { [.text(String(repeating: "\0", count: $0 % 200)), .integer(Int64($0 / 200))] },
            { [.integer(Int64($0)), .integer(-31 * Int64($0))] },
            { [.integer(Int64($0 % 200)), .integer(Int64($0 / 200))] },
            { [.integer(Self.collisions[$0]), .text("a")] }, { [.blob([UInt8($0 & 255), UInt8($0 >> 8)])] },
        ]
        for make in keys {
            let values = (0..<Self.count).map(make)
            for _ in 0..<5 {
                let seed = HashSeed(using: &generator)
                let hashes = values.map { seed.hash($0) ?? 0 }
                #expect(Self.probes(hashes, seed) < Self.count * 19 / 10)
            }
        }
    }

    @Test func `equal values have equal hashes`() {
        let seed = HashSeed.random()
        #expect(seed.hash([.integer(3)]) == seed.hash([.real(3)]))
        #expect(seed.hash([.integer(3)]) == seed.hash(3))
        #expect(seed.hash([.real(0)]) == seed.hash([.real(-0.0)]))
        #expect(seed.hash([.text("abc")]) == Array("abc".utf8).withUnsafeBytes { seed.hash($0) })
        #expect(seed.hash([.integer(1), .null]) == nil)
    }

    @Test func `hashes depend on all bytes of a text`() {
        let seed = HashSeed.random()
        for fill in [0, 7] as [UInt8] {
            let bytes = [UInt8](repeating: fill, count: 300)
            var hashes: Set<UInt32> = []
            for length in 0...300 { bytes.prefix(length).withUnsafeBytes { _ = hashes.insert(seed.hash($0)) } }
            #expect(hashes.count > 299)
        }
    }

    // MARK: Stores

    @Test func `each store has its own seed`() {
        let seeds = (0..<3).map { _ in MemoryStore().shared.withLock { $0.database.seed } }
        #expect(Set(seeds).count == 3)
    }

    /// The keys are not sorted, so rowids have a hash index too.
    @Test func `lookups of chosen keys stay fast`() throws {
        var generator = SeededGenerator(seed: 9)
        let store = MemoryStore(seed: HashSeed(using: &generator))
        try store.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, other INT UNIQUE, text TEXT UNIQUE)")
        var batch = try RowBatch(columns: ["id", "other", "text"])
        for id in Self.collisions {
            batch.beginRow()
            try batch.set(integer: id, at: 0)
            try batch.set(integer: id, at: 1)
            try batch.set(text: "\(id)", at: 2)
        }
        try store.upsert(batch, into: "a")
        let table = store.shared.withLock { $0.database.table("a") }
        let indexes = (table?.keys.map(\.index) ?? []) + [try #require(table?.rowidIndex)]
        #expect(indexes.count == 3)
        for index in indexes {
            #expect(index.count == Self.count)
            #expect(index.probes < Self.count * 19 / 10)
        }
    }

    /// Columns without a key are matched by a hash join.
    @Test func `duplicate keys in a batch delete once`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE a (x, y)")
        try store.execute("INSERT INTO a VALUES (1, 1), (1, 1), (2, 1)")
        var batch = try RowBatch(columns: ["x"])
        for _ in 0..<3 { try batch.append([.integer(1)]) }
        #expect(try store.delete(batch, from: "a") == 2)
        #expect(try store.rows("SELECT x FROM a") == [[2]])
    }
}

extension HashIndex {
    /// Number of probed slots for one lookup of each row.
    fileprivate var probes: Int {
        slots.indices.reduce(0) { probes, place in
            let slot = slots[place]
            return slot == 0 ? probes : probes + (place - Int(slot >> 32)) & (slots.count - 1) + 1
        }
    }
}
