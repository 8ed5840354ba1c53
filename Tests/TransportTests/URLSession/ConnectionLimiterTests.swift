import HTTPMessages
import Testing

@testable import Transport

@Suite struct ConnectionLimiterTests {
    private final class Item {
        let number: Int
        var isCancelled = false
        init(_ number: Int) { self.number = number }
    }

    /// The limiter as a reference, because `#expect` cannot call mutating methods.
    private final class Limiter {
        private var limiter: ConnectionLimiter<Item>
        init(limit: Int) { limiter = ConnectionLimiter(limit: limit) { $0.isCancelled } }
        var waitingCount: Int { limiter.waitingCount }
        func acquire(_ host: String, for item: Item) -> Bool { limiter.acquire(origin(host), for: item) }
        func release(_ host: String) -> Item? { limiter.release(origin(host)) }
        private func origin(_ host: String) -> Origin { Origin(URLReference("http://\(host)/")) }
    }

    @Test(arguments: [1, 2, 5]) func `starts waiting items in FIFO order`(limit: Int) {
        let limiter = Limiter(limit: limit)
        let items = (0..<300).map(Item.init)
        let started = items.map { limiter.acquire("a", for: $0) }
        #expect(started == items.map { $0.number < limit })
        #expect(limiter.waitingCount == 300 - limit)
        var order: [Int] = []
        while let next = limiter.release("a") { order.append(next.number) }
        #expect(order == Array(limit..<300))
        #expect(limiter.waitingCount == 0)
    }

    @Test func `items enqueued between releases keep their order`() {
        let limiter = Limiter(limit: 1)
        #expect(limiter.acquire("a", for: Item(-1)))
        var expected = 0
        for number in 0..<200 {
            #expect(!limiter.acquire("a", for: Item(number)))
            guard number.isMultiple(of: 2) else { continue }
            #expect(limiter.release("a")?.number == expected)
            expected += 1
        }
    }

    @Test func `origins have separate limits`() {
        let limiter = Limiter(limit: 1)
        #expect(limiter.acquire("a", for: Item(0)))
        #expect(limiter.acquire("b", for: Item(1)))
        #expect(!limiter.acquire("b", for: Item(2)))
        #expect(limiter.release("a") == nil)
        #expect(limiter.acquire("a", for: Item(3)))
        #expect(limiter.release("b")?.number == 2)
    }

    @Test func `cancelled items get no slot; the next item does`() {
        let limiter = Limiter(limit: 1)
        let items = (0..<5).map(Item.init)
        for item in items { _ = limiter.acquire("a", for: item) }
        for number in [1, 2, 4] { items[number].isCancelled = true }
        #expect(limiter.release("a")?.number == 3)
        #expect(limiter.release("a") == nil)
        #expect(limiter.acquire("a", for: Item(6)))
    }

    @Test func `cancelled items are purged without a release`() {
        let limiter = Limiter(limit: 1)
        _ = limiter.acquire("a", for: Item(0))
        for number in 0..<10_000 {
            let item = Item(number)
            _ = limiter.acquire("a", for: item)
            item.isCancelled = true
        }
        #expect(limiter.waitingCount < 200)
    }

    @Test func `a started item is not retained`() {
        let limiter = Limiter(limit: 1)
        _ = limiter.acquire("a", for: Item(0))
        weak var kept: Item?
        for number in 1...10 {
            let item = Item(number)
            if number == 1 { kept = item }
            _ = limiter.acquire("a", for: item)
        }
        #expect(kept != nil)
        #expect(limiter.release("a")?.number == 1)
        #expect(kept == nil)
    }

    @Test(arguments: [0, -5, .min]) func `a limit below one counts as one`(limit: Int) {
        let limiter = Limiter(limit: limit)
        #expect(limiter.acquire("a", for: Item(0)))
        #expect(!limiter.acquire("a", for: Item(1)))
    }
}
