import PatchbayTestKit
import Testing

@testable import Queueing

@Suite struct DeadlineHeapTests {
    @Test(arguments: [UInt64(1), 2]) func `the first deadline is the earliest of all present items`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = SlotTable()
        var heap = DeadlineHeap()
        var present: [(slot: Int, deadline: Int64)] = []
        for _ in 0..<3000 {
            if present.count < 300, Bool.random(using: &generator) {
                let slot = table.insert(key: 0, level: 0, arrival: 0)
                let deadline = Int64.random(in: 0..<1000, using: &generator)
                table.wait(slot, isSuspended: false)
                table.all[slot].hasDeadline = true
                heap.insert(deadline, for: table.id(slot))
                present.append((slot, deadline))
            } else if let index = present.indices.randomElement(using: &generator) {
                let slot = present.remove(at: index).slot
                table.all[slot].hasDeadline = false
                heap.removeLazily(in: table)
                table.remove(slot)
            }
            #expect(heap.first(in: table)?.deadline == present.map(\.deadline).min())
            // At most about half of the entries are stale.
            #expect(heap.count <= 2 * present.count + 66)
        }
    }
}
