import PatchbayTestKit
import Testing

@testable import Queueing

@Suite struct DeadlineHeapTests {
    @Test(arguments: [UInt64(1), 2]) func givesTheEarliestOfThoseWhoAreThere(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var places = PlaceTable()
        var heap = DeadlineHeap()
        var present: [(slot: Int, moment: Int64)] = []
        for _ in 0..<3000 {
            if present.count < 300, Bool.random(using: &generator) {
                let slot = places.insert(key: 0, level: 0, arrival: 0)
                let moment = Int64.random(in: 0..<1000, using: &generator)
                places.wait(slot, isHeld: false)
                places.all[slot].hasDeadline = true
                heap.insert(moment, for: places.id(slot))
                present.append((slot, moment))
            } else if let index = present.indices.randomElement(using: &generator) {
                let slot = present.remove(at: index).slot
                places.all[slot].hasDeadline = false
                heap.leave(in: places)
                places.remove(slot)
            }
            #expect(heap.first(in: places)?.moment == present.map(\.moment).min())
            // Those who have left are never more than the others, but for a few.
            #expect(heap.count <= 2 * present.count + 66)
        }
    }
}
