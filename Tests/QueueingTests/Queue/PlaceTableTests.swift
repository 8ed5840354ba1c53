import Testing

@testable import Queueing

@Suite struct PlaceTableTests {
    @Test func slotsAreUsedAgainAndNamesAreNot() {
        var places = PlaceTable()
        let first = places.insert(key: 0, level: 0, arrival: 0)
        let id = places.id(first)
        places.wait(first, isHeld: false)
        #expect(places.slot(id) == first && places.waitingCount == 1)
        places.remove(first)
        #expect(places.slot(id) == nil && places.waitingCount == 0)
        let second = places.insert(key: 0, level: 0, arrival: 0)
        #expect(second == first && places.id(second) != id && places.slot(id) == nil)
    }

    @Test func countsThoseWhoWaitAreHeldAndRun() {
        var places = PlaceTable()
        let slots = (0..<4).map { places.insert(key: $0, level: 0, arrival: 0) }
        places.wait(slots[0], isHeld: false)
        places.wait(slots[1], isHeld: true)
        places.wait(slots[2], isHeld: true)
        places.run(slots[3])
        #expect(places.waitingCount == 3 && places.heldCount == 2 && places.runningCount == 1)
        #expect(places.firstHeld == slots[1])
        places.accept(slots[1])
        #expect(places.waitingCount == 3 && places.heldCount == 1 && places.firstHeld == slots[2])
        places.run(slots[2])
        places.stop(slots[3])
        #expect(places.waitingCount == 2 && places.heldCount == 0 && places.runningCount == 2)
        #expect(places.runningSlots == [slots[3], slots[2]])
        for slot in slots { places.remove(slot) }
        #expect(places.waitingCount == 0 && places.heldCount == 0 && places.runningCount == 0)
        places.removeAll()
        #expect(places.all.isEmpty && places.insert(key: 0, level: 0, arrival: 0) == 0)
    }
}
