import Testing

@testable import Queueing

@Suite struct SlotTableTests {
    @Test func `slots are reused, IDs are not`() {
        var table = SlotTable()
        let first = table.insert(key: 0, level: 0, arrival: 0)
        let id = table.id(first)
        table.wait(first, isSuspended: false)
        #expect(table.slot(id) == first && table.waitingCount == 1)
        table.remove(first)
        #expect(table.slot(id) == nil && table.waitingCount == 0)
        let second = table.insert(key: 0, level: 0, arrival: 0)
        #expect(second == first && table.id(second) != id && table.slot(id) == nil)
    }

    @Test func `counts waiting, suspended and running items`() {
        var table = SlotTable()
        let slots = (0..<4).map { table.insert(key: $0, level: 0, arrival: 0) }
        table.wait(slots[0], isSuspended: false)
        table.wait(slots[1], isSuspended: true)
        table.wait(slots[2], isSuspended: true)
        table.start(slots[3])
        #expect(table.waitingCount == 3 && table.suspendedCount == 2 && table.runningCount == 1)
        #expect(table.firstSuspended == slots[1])
        table.admit(slots[1])
        #expect(table.waitingCount == 3 && table.suspendedCount == 1 && table.firstSuspended == slots[2])
        table.start(slots[2])
        table.cancelRunning(slots[3])
        #expect(table.waitingCount == 2 && table.suspendedCount == 0 && table.runningCount == 2)
        #expect(table.runningSlots == [slots[3], slots[2]])
        for slot in slots { table.remove(slot) }
        #expect(table.waitingCount == 0 && table.suspendedCount == 0 && table.runningCount == 0)
        table.removeAll()
        #expect(table.all.isEmpty && table.insert(key: 0, level: 0, arrival: 0) == 0)
    }
}
