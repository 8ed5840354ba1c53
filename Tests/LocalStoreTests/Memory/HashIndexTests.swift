import PatchbayTestKit
import Testing

@testable import LocalStore

@Suite struct HashIndexTests {
    @Test(arguments: [UInt32.max, 0xFF, 0])
    func itFindsWhatASetOfRowsWould(hashMask: UInt32) {
        // A narrow mask makes most rows collide.
        var random = SeededGenerator(seed: 7)
        var index = HashIndex()
        var rows: Set<Int> = []
        func hash(_ row: Int) -> UInt32 { HashIndex.hash(UInt64(row)) & hashMask }
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

    @Test func textsOfEveryLengthHashByAllTheirBytes() {
        let bytes = (0..<40).map { UInt8($0) }
        var hashes: Set<UInt32> = []
        for length in 0...40 { bytes.prefix(length).withUnsafeBytes { _ = hashes.insert(HashIndex.hash($0)) } }
        #expect(hashes.count == 41)
    }
}
