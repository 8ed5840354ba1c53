import PatchbayTestKit
import Testing

@testable import CurlTransport

@Suite struct DeadlineQueueTests {
    private final class Item: Deadlined {
        var deadlineIndex: Int?
        /// The time at which the queue has it; nil outside.
        var instant: Int?
    }

    /// An instant that counts comparisons.
    private struct Counted: Comparable {
        final class Counter { var count = 0 }

        let value: Int
        let counter: Counter

        static func == (left: Counted, right: Counted) -> Bool { left.value == right.value }
        static func < (left: Counted, right: Counted) -> Bool {
            left.counter.count += 1
            return left.value < right.value
        }
    }

    @Test(arguments: [UInt64(1), 2, 3]) func `the first element is the earliest of all`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var queue = DeadlineQueue<Item, Int>()
        let items = (0..<300).map { _ in Item() }
        for _ in 0..<5000 {
            let item = items[Int.random(in: items.indices, using: &generator)]
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                queue.remove(item)
                item.instant = nil
            case 1:
                let instant = Int.random(in: 0..<1000, using: &generator)
                queue.schedule(item, at: instant)
                // A later time leaves it where it is.
                item.instant = min(item.instant ?? instant, instant)
            default:
                let now = Int.random(in: 0..<300, using: &generator)
                let earliest = items.compactMap(\.instant).min()
                let due = queue.popDue(at: now)
                #expect(due?.instant == earliest.flatMap { $0 <= now ? $0 : nil })
                due?.instant = nil
            }
            #expect(queue.first == items.compactMap(\.instant).min())
            #expect(items.allSatisfy { ($0.deadlineIndex != nil) == ($0.instant != nil) })
        }
    }

    @Test func `an element that leaves is released`() {
        var queue = DeadlineQueue<Item, Int>()
        weak var released: Item?
        do {
            let item = Item()
            released = item
            queue.schedule(item, at: 1)
            queue.schedule(Item(), at: 2)
            queue.remove(item)
        }
        #expect(released == nil && queue.first == 2)
    }

    // Each deadline expires at its own time, which is how the requests of a server that has died do.
    @Test func `the work for each deadline grows with the logarithm of their number`() {
        func work(_ count: Int) -> Double {
            let counter = Counted.Counter()
            func instant(_ value: Int) -> Counted { Counted(value: value, counter: counter) }
            var queue = DeadlineQueue<Item, Counted>()
            let items = (0..<count).map { _ in Item() }
            for (index, item) in items.enumerated() { queue.schedule(item, at: instant(index)) }
            for index in items.indices {
                #expect(queue.popDue(at: instant(index)) === items[index])
                #expect(queue.popDue(at: instant(index)) == nil)
            }
            return Double(counter.count) / Double(count)
        }
        // Twice the logarithm on the way down, and a few for the rest.
        #expect(work(20_000) < 2 * 15 + 5)
        #expect(work(20_000) < 2 * work(200))
    }
}
