import PatchbayTestKit
import Testing

@testable import Queueing

@Suite struct SlotListsTests {
    @Test func `lists keep their order`() {
        var links = SlotLists()
        var lists = [SlotLists.List(), SlotLists.List()]
        var expected: [[Int]] = [[], []]
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<3000 {
            let list = Int.random(in: 0..<2, using: &generator)
            let slot = Int.random(in: 0..<40, using: &generator)
            if let index = expected[list].firstIndex(of: slot) {
                links.remove(slot, from: &lists[list])
                expected[list].remove(at: index)
            } else if !expected[1 - list].contains(slot) {
                links.append(slot, to: &lists[list])
                expected[list].append(slot)
            }
            for list in 0..<2 {
                #expect(links.slots(lists[list]) == expected[list])
                #expect(lists[list].first == expected[list].first && lists[list].isEmpty == expected[list].isEmpty)
            }
        }
    }
}
