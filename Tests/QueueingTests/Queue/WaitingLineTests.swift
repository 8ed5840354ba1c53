import Testing

@testable import Queueing

@Suite struct WaitingLineTests {
    /// A line of (key, level) pairs in slots of their own, which came a second apart.
    private func line(_ items: [(key: Int, level: Int)], ageing: QueueAgeing? = nil) -> WaitingLine {
        var line = WaitingLine(ageing: ageing)
        for (slot, item) in items.enumerated() {
            line.append(
                slot, key: item.key, level: item.level, sequence: UInt64(slot), arrival: Int64(slot) * 1_000_000_000)
        }
        return line
    }

    private func order(_ line: WaitingLine) -> [Int] {
        var line = line
        var order: [Int] = []
        while let slot = line.first {
            order.append(slot)
            line.remove(slot)
        }
        return order
    }

    @Test func levelThenArrivalWhateverTheKey() {
        #expect(order(line([(0, 0), (1, 1), (0, 1), (2, 0), (1, .max), (0, .min)])) == [4, 1, 2, 0, 3, 5])
    }

    private static let waits: [(Double, [Int])] = [
        (0.5, [0, 1, 2, 3, 4]), (1.5, [2, 1, 0, 4, 3]), (2.5, [2, 1, 4, 0, 3]), (100, [2, 4, 1, 0, 3]),
    ]

    @Test(arguments: waits)
    func aLongWaitCounts(interval: Double, expected: [Int]) {
        let items = [(key: 0, level: 0), (1, 1), (0, 2), (2, 0), (1, 2)]
        #expect(order(line(items, ageing: .oneLevel(every: .seconds(interval)))) == expected)
    }

    @Test func aClosedKeyIsPassedOverUntilItOpens() {
        var line = line([(0, 5), (1, 0), (0, 9)])
        line.setClosed(true, key: 0)
        #expect(line.first == 1)
        line.remove(1)
        #expect(line.first == nil && line.oldestOfLowest?.slot == 0)
        line.setClosed(false, key: 0)
        #expect(order(line) == [2, 0])
    }

    @Test func findsTheOldestOfTheLowestLevel() {
        var line = line([(0, 5), (1, 0), (2, 0), (0, 0)])
        line.setClosed(true, key: 1)
        var order: [Int] = []
        while let oldest = line.oldestOfLowest {
            order.append(oldest.slot)
            #expect(oldest.level == (oldest.slot == 0 ? 5 : 0))
            line.remove(oldest.slot)
        }
        #expect(order == [1, 2, 3, 0])
    }

    @Test func anyoneCanLeave() {
        var line = line([(0, 0), (0, 0), (0, 0), (0, 1)])
        line.remove(1)
        line.remove(3)
        #expect(order(line) == [0, 2])
    }
}
