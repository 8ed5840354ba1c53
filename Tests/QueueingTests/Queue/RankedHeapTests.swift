import PatchbayTestKit
import Testing

@testable import Queueing

@Suite struct RankedHeapTests {
    @Test(arguments: [UInt64(1), 2, 3]) func givesTheLeastWhateverIsMovedAndRemoved(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var places = RankedHeap.Places(repeating: -1, count: 50)
        var heap = RankedHeap()
        var ranks: [Int: Rank] = [:]
        for step in 0..<5000 {
            let member = Int.random(in: 0..<50, using: &generator)
            if Bool.random(using: &generator) {
                heap.remove(member, &places)
                ranks[member] = nil
            } else {
                let rank = Rank(value: Int64.random(in: 0..<20, using: &generator), sequence: UInt64(step))
                heap.set(member, to: rank, &places)
                ranks[member] = rank
            }
            let least = ranks.min { $0.value < $1.value }
            #expect(heap.first == least?.key && heap.firstRank == least?.value)
            #expect(heap.isEmpty == ranks.isEmpty)
            #expect(places.count { $0 >= 0 } == ranks.count)
        }
    }

    @Test func theSequenceDecidesAmongEquals() {
        let (first, second) = (Rank(value: 1, sequence: 1), Rank(value: 1, sequence: 2))
        #expect(first < second && second < Rank(value: 2, sequence: 0))
    }
}
