import HTTPMessages
import Testing

@testable import Transport

@Suite("OriginSlots") struct OriginSlotsTests {
    private final class Item {
        let number: Int
        var isGone = false
        init(_ number: Int) { self.number = number }
    }

    /// The slots as a reference, because `#expect` cannot call what changes a value.
    private final class Line {
        private var slots: OriginSlots<Item>
        init(limit: Int) { slots = OriginSlots(limit: limit) { $0.isGone } }
        var waiting: Int { slots.waiting }
        func acquire(_ host: String, for item: Item) -> Bool { slots.acquire(origin(host), for: item) }
        func release(_ host: String) -> Item? { slots.release(origin(host)) }
        private func origin(_ host: String) -> Origin { Origin(URLReference("http://\(host)/")) }
    }

    @Test("first come, first served", arguments: [1, 2, 5]) func order(limit: Int) {
        let slots = Line(limit: limit)
        let items = (0..<300).map(Item.init)
        let started = items.map { slots.acquire("a", for: $0) }
        #expect(started == items.map { $0.number < limit })
        #expect(slots.waiting == 300 - limit)
        var order: [Int] = []
        while let next = slots.release("a") { order.append(next.number) }
        #expect(order == Array(limit..<300))
        #expect(slots.waiting == 0)
    }

    @Test("those who come between releases keep their place") func interleaved() {
        let slots = Line(limit: 1)
        #expect(slots.acquire("a", for: Item(-1)))
        var expected = 0
        for number in 0..<200 {
            #expect(!slots.acquire("a", for: Item(number)))
            guard number.isMultiple(of: 2) else { continue }
            #expect(slots.release("a")?.number == expected)
            expected += 1
        }
    }

    @Test("origins do not wait for each other") func origins() {
        let slots = Line(limit: 1)
        #expect(slots.acquire("a", for: Item(0)))
        #expect(slots.acquire("b", for: Item(1)))
        #expect(!slots.acquire("b", for: Item(2)))
        #expect(slots.release("a") == nil)
        #expect(slots.acquire("a", for: Item(3)))
        #expect(slots.release("b")?.number == 2)
    }

    @Test("those who gave up get no slot, and it goes to the next") func gone() {
        let slots = Line(limit: 1)
        let items = (0..<5).map(Item.init)
        for item in items { _ = slots.acquire("a", for: item) }
        for number in [1, 2, 4] { items[number].isGone = true }
        #expect(slots.release("a")?.number == 3)
        #expect(slots.release("a") == nil)
        #expect(slots.acquire("a", for: Item(6)))
    }

    @Test("those who gave up are forgotten although no slot becomes free") func purge() {
        let slots = Line(limit: 1)
        _ = slots.acquire("a", for: Item(0))
        for number in 0..<10_000 {
            let item = Item(number)
            _ = slots.acquire("a", for: item)
            item.isGone = true
        }
        #expect(slots.waiting < 200)
    }

    @Test("whoever has left is not kept alive") func release() {
        let slots = Line(limit: 1)
        _ = slots.acquire("a", for: Item(0))
        weak var kept: Item?
        for number in 1...10 {
            let item = Item(number)
            if number == 1 { kept = item }
            _ = slots.acquire("a", for: item)
        }
        #expect(kept != nil)
        #expect(slots.release("a")?.number == 1)
        #expect(kept == nil)
    }

    @Test("a limit below one is one", arguments: [0, -5, .min]) func limit(limit: Int) {
        let slots = Line(limit: limit)
        #expect(slots.acquire("a", for: Item(0)))
        #expect(!slots.acquire("a", for: Item(1)))
    }
}
