import Testing

@testable import CurlTransport

@Suite struct OriginQueuesTests {
    private var queues = OriginQueues<Int>(limit: 2) { $0 < 0 }

    @Test mutating func `requests beyond the limit wait in order, per origin`() {
        #expect([1, 2, 3, 4].map { queues.acquire("a", for: $0) } == [true, true, false, false])
        #expect([5].allSatisfy { queues.acquire("b", for: $0) })
        #expect(queues.release("a") == 3)
        #expect(queues.release("a") == 4)
        #expect(queues.release("a") == nil)
        #expect([6].allSatisfy { queues.acquire("a", for: $0) })
    }

    @Test mutating func `requests that ended while they waited are skipped`() {
        for element in [1, 2, -3, -4, 5] { _ = queues.acquire("a", for: element) }
        #expect(queues.release("a") == 5)
    }

    @Test mutating func `an origin with multiplexing has no limit`() {
        for element in [1, 2, 3, -4, 5] { _ = queues.acquire("a", for: element) }
        #expect(queues.setMultiplexed("a") == [3, 5])
        #expect(queues.setMultiplexed("a") == [])
        #expect([6].allSatisfy { queues.acquire("a", for: $0) })
    }

    @Test mutating func `a long queue keeps its order`() {
        for element in 0..<10_000 { _ = queues.acquire("a", for: element) }
        for element in 2..<10_000 { #expect(queues.release("a") == element) }
    }
}
