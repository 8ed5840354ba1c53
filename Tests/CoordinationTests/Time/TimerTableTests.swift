import PatchbayTestKit
import Synchronization
import Testing

@testable import Coordination

@Suite struct TimerTableTests {
    /// Runs actions that record numbers, and returns the numbers.
    private final class Log: Sendable {
        private let numbers = Mutex<[UInt64]>([])
        func action(_ number: UInt64) -> TimerTable.Action { { self.numbers.withLock { $0.append(number) } } }
        func numbers(of actions: [TimerTable.Action]) -> [UInt64] {
            for action in actions { action() }
            return numbers.withLock { numbers in
                defer { numbers = [] }
                return numbers
            }
        }
    }

    private let log = Log()

    @Test func `due timers come in the order of deadline and ID`() {
        var table = TimerTable()
        for (id, seconds) in [(1, 5), (2, 3), (3, 9), (4, 3), (5, 1)] as [(UInt64, Int)] {
            let isStored = table.insert(id, at: .seconds(seconds)) { log.action(id) }
            #expect(isStored)
        }
        #expect(table.earliest() == .seconds(1))
        #expect(log.numbers(of: table.popDue(at: .zero)) == [])
        #expect(log.numbers(of: table.popDue(at: .seconds(5))) == [5, 2, 4, 1])
        #expect(table.earliest() == .seconds(9) && table.count == 1)
        #expect(log.numbers(of: table.popDue(at: .seconds(9))) == [3])
        #expect(table.earliest() == nil && table.count == 0 && table.nodeCount == 0)
    }

    @Test func `an ID has its earliest deadline, and can be stored again after its removal`() {
        var table = TimerTable()
        let deadlines = [9, 9, 10, 5, 7, 5]
        let isStored = deadlines.map { seconds in table.insert(1, at: .seconds(seconds)) { log.action(UInt64(seconds)) }
        }
        #expect(isStored == [true, false, false, true, false, false])
        #expect(table.earliest() == .seconds(5) && table.count == 1)
        table.remove(1)
        table.remove(1)
        table.remove(2)
        #expect(table.earliest() == nil && table.count == 0)
        // Its remains in the heap have the same deadline.
        let isStoredAgain = table.insert(1, at: .seconds(5)) { log.action(50) }
        #expect(isStoredAgain)
        #expect(log.numbers(of: table.popDue(at: .seconds(100))) == [50])
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func `agrees with a dictionary for random events`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = TimerTable()
        var model: [UInt64: Int] = [:]
        var now = 0
        for _ in 0..<3000 {
            let id = UInt64.random(in: 1...80, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<6:
                let deadline = now + Int.random(in: -3...200, using: &generator)
                let isStored = table.insert(id, at: .seconds(deadline)) { log.action(id) }
                #expect(isStored == model[id].map { deadline < $0 } ?? true)
                if isStored { model[id] = deadline }
            case 6..<9:
                table.remove(id)
                model[id] = nil
            default:
                now += Int.random(in: 0...20, using: &generator)
                let due = model.filter { $0.value <= now }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
                for (id, _) in due { model[id] = nil }
                #expect(log.numbers(of: table.popDue(at: .seconds(now))) == due.map(\.key))
            }
            #expect(table.count == model.count && table.earliest() == model.values.min().map { .seconds($0) })
        }
    }

    @Test func `thousands of cancelled timers leave no remains`() {
        var table = TimerTable()
        var most = 0
        for id in 0..<20_000 as Range<UInt64> {
            _ = table.insert(id, at: .seconds(Int(60 + id))) { log.action(id) }
            // A hundred at a time are in flight.
            if id >= 100 { table.remove(id - 100) }
            most = max(most, table.nodeCount)
        }
        #expect(table.count == 100 && most <= 202)
    }
}
