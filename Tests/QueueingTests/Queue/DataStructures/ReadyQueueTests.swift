import Testing

@testable import Queueing

@Suite struct ReadyQueueTests {
    /// A queue of (key, level) pairs in separate slots, submitted one second apart.
    private func queue(_ items: [(key: Int, level: Int)], aging: PriorityAging? = nil) -> ReadyQueue {
        var queue = ReadyQueue(aging: aging)
        for (slot, item) in items.enumerated() {
            queue.append(
                slot, key: item.key, level: item.level, sequence: UInt64(slot), arrival: Int64(slot) * 1_000_000_000)
        }
        return queue
    }

    private func order(_ queue: ReadyQueue) -> [Int] {
        var queue = queue
        var order: [Int] = []
        while let slot = queue.first {
            order.append(slot)
            queue.remove(slot)
        }
        return order
    }

    @Test func `orders by level, then arrival, across keys`() {
        #expect(order(queue([(0, 0), (1, 1), (0, 1), (2, 0), (1, .max), (0, .min)])) == [4, 1, 2, 0, 3, 5])
    }

    private static let waits: [(Double, [Int])] = [
        (0.5, [0, 1, 2, 3, 4]), (1.5, [2, 1, 0, 4, 3]), (2.5, [2, 1, 4, 0, 3]), (100, [2, 4, 1, 0, 3]),
    ]

    @Test(arguments: waits)
    func `aging orders by level and waiting time`(interval: Double, expected: [Int]) {
        let items = [(key: 0, level: 0), (1, 1), (0, 2), (2, 0), (1, 2)]
        #expect(order(queue(items, aging: PriorityAging(interval: .seconds(interval)))) == expected)
    }

    @Test func `a blocked key is skipped until it is unblocked`() {
        var queue = queue([(0, 5), (1, 0), (0, 9)])
        queue.setBlocked(true, key: 0)
        #expect(queue.first == 1)
        queue.remove(1)
        #expect(queue.first == nil && queue.oldestOfLowest?.slot == 0)
        queue.setBlocked(false, key: 0)
        #expect(order(queue) == [2, 0])
    }

    @Test func `finds the oldest slot of the lowest level`() {
        var queue = queue([(0, 5), (1, 0), (2, 0), (0, 0)])
        queue.setBlocked(true, key: 1)
        var order: [Int] = []
        while let oldest = queue.oldestOfLowest {
            order.append(oldest.slot)
            #expect(oldest.level == (oldest.slot == 0 ? 5 : 0))
            queue.remove(oldest.slot)
        }
        #expect(order == [1, 2, 3, 0])
    }

    @Test func `any slot can be removed`() {
        var queue = queue([(0, 0), (0, 0), (0, 0), (0, 1)])
        queue.remove(1)
        queue.remove(3)
        #expect(order(queue) == [0, 2])
    }
}
