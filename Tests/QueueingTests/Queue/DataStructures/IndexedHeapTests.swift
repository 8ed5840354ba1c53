import PatchbayTestKit
import Testing

@testable import Queueing

@Suite struct IndexedHeapTests {
    @Test(arguments: [UInt64(1), 2, 3]) func `the first member has the lowest priority value after moves and removals`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        var positions = IndexedHeap.Positions(repeating: -1, count: 50)
        var heap = IndexedHeap()
        var priorities: [Int: IndexedHeap.Priority] = [:]
        for step in 0..<5000 {
            let member = Int.random(in: 0..<50, using: &generator)
            if Bool.random(using: &generator) {
                heap.remove(member, &positions)
                priorities[member] = nil
            } else {
                let priority = IndexedHeap.Priority(
                    value: Int64.random(in: 0..<20, using: &generator), sequence: UInt64(step))
                heap.set(member, to: priority, &positions)
                priorities[member] = priority
            }
            let least = priorities.min { $0.value < $1.value }
            #expect(heap.first == least?.key && heap.firstPriority == least?.value)
            #expect(heap.isEmpty == priorities.isEmpty)
            #expect(positions.count { $0 >= 0 } == priorities.count)
        }
    }

    @Test func `the sequence breaks ties`() {
        let (first, second) = (IndexedHeap.Priority(value: 1, sequence: 1), IndexedHeap.Priority(value: 1, sequence: 2))
        #expect(first < second && second < IndexedHeap.Priority(value: 2, sequence: 0))
    }
}
