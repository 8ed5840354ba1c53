import PatchbayTestKit
import Testing

@testable import LocalStore

@Suite struct HashIndexTests {
    @Test(arguments: [UInt32.max, 0xFF, 0])
    func `index matches a set`(hashMask: UInt32) {
        // A narrow mask makes most rows collide.
        var random = SeededGenerator(seed: 7)
        let seed = HashSeed(using: &random)
        var index = HashIndex(seed)
        var rows: Set<Int> = []
        func hash(_ row: Int) -> UInt32 { seed.hash(UInt64(row)) & hashMask }
        for _ in 0..<4000 {
            let row = Int.random(in: 0..<300, using: &random)
            if rows.contains(row) {
                index.remove(row, hash: hash(row))
                rows.remove(row)
            } else {
                index.insert(row, hash: hash(row))
                rows.insert(row)
            }
            let wanted = Int.random(in: 0..<300, using: &random)
            #expect((index.row(hash: hash(wanted)) { $0 == wanted } != nil) == rows.contains(wanted))
            #expect(index.count == rows.count)
        }
    }
}
