import Testing

@testable import HTTPCaching

@Suite struct RemovalLogTests {
    @Test func `a removal refuses what was requested before it`() {
        var log = RemovalLog()
        log.remove("a")
        log.remove("b")
        #expect([0, 1, 2].map { log.permits("a", since: $0) } == [false, true, true])
        #expect([0, 1, 2].map { log.permits("b", since: $0) } == [false, false, true])
        #expect(log.permits("c", since: 0))
        log.removeAll()
        #expect([2, 3].map { log.permits("c", since: $0) } == [false, true])
    }

    @Test func `beyond the bound the older half of the removals counts for all URLs`() {
        var log = RemovalLog()
        for number in 1...(RemovalLog.capacity + 1) { log.remove("\(number)") }
        #expect([500, 501, 502].map { log.permits("other", since: $0) } == [false, true, true])
        #expect([899, 900].map { log.permits("900", since: $0) } == [false, true])
    }

    @Test func `a further removal of a known URL at the bound forgets none`() {
        var log = RemovalLog()
        for number in 1...RemovalLog.capacity { log.remove("\(number)") }
        for _ in 0..<3 { log.remove("7") }
        #expect(log.permits("other", since: 0))
        #expect([1_002, 1_003].map { log.permits("7", since: $0) } == [false, true])
    }
}
