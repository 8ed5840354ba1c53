import Testing

@testable import CurlTransport

@Suite struct OriginQueuesTests {
    private var queues = OriginQueues<Int>(limit: 2)

    /// - Returns: the tickets of those that have to wait.
    private mutating func acquire(_ origin: String, _ elements: Range<Int>) -> [Int: Int] {
        elements.reduce(into: [:]) { tickets, element in tickets[element] = queues.acquire(origin, for: element) }
    }

    @Test mutating func `requests beyond the limit wait in order, per origin`() {
        #expect(acquire("a", 1..<5).keys.sorted() == [3, 4])
        #expect(acquire("b", 5..<6).isEmpty)
        #expect(queues.release("a") == 3)
        #expect(queues.release("a") == 4)
        #expect(queues.release("a") == nil)
        #expect(acquire("a", 6..<7).isEmpty)
        #expect(acquire("a", 7..<8).count == 1)
    }

    @Test(arguments: [[3], [5], [3, 4, 5], [4]]) mutating func `a waiting request can leave`(leaving: [Int]) {
        let tickets = acquire("a", 1..<6)
        for element in leaving { queues.remove(tickets[element] ?? -1, from: "a") }
        let remaining = [3, 4, 5].filter { !leaving.contains($0) }
        #expect(remaining.map { _ in queues.release("a") } == remaining)
        #expect(queues.release("a") == nil)
        // A slot is free, and those after it wait in order as before.
        #expect(acquire("a", 6..<9).keys.sorted() == [7, 8])
        #expect(queues.release("a") == 7)
    }

    @Test mutating func `a request that left is released`() {
        final class Element {}
        var queues = OriginQueues<Element>(limit: 1)
        let running = Element()
        var element: Element? = Element()
        weak let waiting = element
        _ = queues.acquire("a", for: running)
        let ticket = element.flatMap { queues.acquire("a", for: $0) }
        element = nil
        #expect(waiting != nil)
        queues.remove(ticket ?? -1, from: "a")
        #expect(waiting == nil)
    }

    @Test mutating func `an origin with multiplexing has no limit`() {
        let tickets = acquire("a", 1..<6)
        queues.remove(tickets[4] ?? -1, from: "a")
        #expect(queues.setMultiplexed("a") == [3, 5])
        #expect(queues.setMultiplexed("a") == [])
        #expect(acquire("a", 6..<9).isEmpty)
        for _ in 0..<7 { #expect(queues.release("a") == nil) }
        #expect(acquire("a", 1..<5).isEmpty)
    }

    @Test mutating func `of many origins with multiplexing the first are forgotten, until they respond again`() {
        for number in 0...1024 { #expect(queues.setMultiplexed("\(number)") == []) }
        #expect(acquire("1024", 0..<3).isEmpty)
        #expect(acquire("0", 0..<3).keys.sorted() == [2])
        #expect(queues.setMultiplexed("0") == [2])
    }

    @Test mutating func `a long queue keeps its order`() {
        _ = acquire("a", 0..<10_000)
        for element in 2..<10_000 { #expect(queues.release("a") == element) }
    }
}
