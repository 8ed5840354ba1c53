import Testing

@testable import Queueing

@Suite struct RateLimitTableTests {
    private typealias Table = RateLimitTable<String>

    private func table(
        _ limit: RateLimit = .requests(1, per: .second), maximumKeys: Int = 10, maximumWaiting: Int = 10
    ) -> Table {
        Table(limit, maximumKeys: maximumKeys, maximumWaiting: maximumWaiting)
    }

    private func names(_ actions: [Table.Action]) -> [String] { actions.filter { $0.ending == .started }.map(\.waiter) }

    @Test func `calls start by priority, then in order`() throws {
        var table = table()
        expect(table.submit(.custom("k"), now: 0, "first").0 == .started)
        let calls: [(String, RequestPriority)] = [
            ("a", .normal), ("b", .background), ("c", .high), ("d", .normal), ("e", .high),
        ]
        for (name, priority) in calls {
            let (submission, actions) = table.submit(.custom("k"), priority: priority, now: 0, name)
            guard case .waiting = submission else {
                Issue.record("\(name): \(submission)")
                return
            }
            #expect(actions.isEmpty)
        }
        var order: [String] = []
        while let next = table.nextAdvance(now: Double(order.count)) { order += names(table.advance(now: next)) }
        #expect(order == ["c", "e", "a", "d", "b"])
        #expect(table.waitingCount == 0)
    }

    @Test func `a new call does not overtake those that wait`() {
        var table = table()
        _ = table.start(.custom("k"), now: 0)
        _ = table.submit(.custom("k"), now: 0, "a")
        // The token is there, and its call has not been told yet.
        expect(!table.start(.custom("k"), now: 1))
        expect(names(table.advance(now: 1)) == ["a"])
    }

    @Test func `a wait that cannot end in time is refused at once`() {
        var table = table()
        _ = table.start(.custom("k"), now: 0)
        expect(table.submit(.custom("k"), deadline: 0.5, now: 0, "a").0 == .refused(wait: 1, left: 0.5))
        guard case .waiting(_, wait: 1) = table.submit(.custom("k"), deadline: 1, now: 0, "b").0 else {
            Issue.record("not waiting")
            return
        }
        // Behind the other one there is no time.
        expect(table.submit(.custom("k"), deadline: 1.5, now: 0, "c").0 == .refused(wait: 2, left: 1.5))
        expect(table.submit(.custom("k"), deadline: 0.5, now: 0.75, "d").0 == .refused(wait: 1.25, left: 0))
    }

    @Test func `a call of higher priority ends those that are too late behind it`() {
        var table = table()
        _ = table.start(.custom("k"), now: 0)
        _ = table.submit(.custom("k"), deadline: 1, now: 0, "a")
        _ = table.submit(.custom("k"), deadline: 9, now: 0, "b")
        let (_, actions) = table.submit(.custom("k"), priority: .high, now: 0, "c")
        #expect(actions.map(\.waiter) == ["a"])
        #expect(actions.map(\.ending) == [.refused(wait: 2, left: 1)])
        expect(names(table.advance(now: 1)) == ["c"])
        expect(names(table.advance(now: 2)) == ["b"])
    }

    @Test func `what the server says ends calls that have no time for it`() {
        var table = table()
        _ = table.start(.custom("k"), now: 0)
        _ = table.submit(.custom("k"), deadline: 3, now: 0, "a")
        _ = table.submit(.custom("k"), now: 0, "b")
        let actions = table.responseReceived(
            .custom("k"), RateLimitLesson(isThrottled: true, retryAfter: 10), now: 0.5)
        #expect(actions.map(\.waiter) == ["a"] && actions.map(\.ending) == [.refused(wait: 10, left: 2.5)])
        expect(table.nextAdvance(now: 0.5) == 10.5)
        expect(names(table.advance(now: 10)) == [] && names(table.advance(now: 10.5)) == ["b"])
    }

    @Test func `a throttled response without a time empties the bucket`() {
        var table = table(.requests(10, per: .second))
        _ = table.responseReceived(.custom("k"), RateLimitLesson(isThrottled: true), now: 0)
        expect(!table.start(.custom("k"), now: 0) && table.start(.custom("k"), now: 0.1))
    }

    @Test func `a cancelled call ends once and leaves its turn`() throws {
        var table = table()
        _ = table.start(.custom("k"), now: 0)
        guard case .waiting(let ticket, _) = table.submit(.custom("k"), now: 0, "a").0 else {
            return #expect(Bool(false), "It started.")
        }
        _ = table.submit(.custom("k"), now: 0, "b")
        expect(table.cancel(ticket, now: 0).0 == "a")
        expect(table.cancel(ticket, now: 0).0 == nil)
        #expect(table.waitingCount == 1)
        expect(names(table.advance(now: 1)) == ["b"])
    }

    @Test func `the number of waiting calls is limited, for all keys`() {
        var table = table(maximumWaiting: 2)
        for key in ["a", "b", "c"] { expect(table.start(.custom(key), now: 0)) }
        _ = table.submit(.custom("a"), now: 0, "1")
        _ = table.submit(.custom("b"), now: 0, "2")
        expect(table.submit(.custom("c"), now: 0, "3").0 == .full)
        expect(table.submit(.custom("c"), now: 1, "3").0 == .started)
    }

    @Test func `keys have buckets of their own, and full ones are dropped`() {
        var table = table(maximumKeys: 8)
        for number in 0..<8 { expect(table.start(.custom("\(number)"), now: 0)) }
        #expect(table.keyCount == 8)
        // All are full again; the least recently used half is dropped.
        for number in 4..<8 { expect(table.start(.custom("\(number)"), now: 10)) }
        expect(table.start(.custom("new"), now: 10))
        #expect(table.keyCount == 7)
        expect(!table.start(.custom("7"), now: 10))
    }

    @Test func `keys beyond the maximum share a bucket while no other is full`() {
        var table = table(maximumKeys: 2)
        expect(table.start(.custom("a"), now: 0) && table.start(.custom("b"), now: 0))
        expect(table.start(.custom("c"), now: 0))
        expect(!table.start(.custom("d"), now: 0))
        for number in 0..<1000 { _ = table.start(.custom("\(number)"), now: 0.5) }
        #expect(table.keyCount == 3)
        guard case .waiting(let ticket, _) = table.submit(.custom("e"), now: 0.5, "e").0 else {
            Issue.record("not waiting")
            return
        }
        expect(table.cancel(ticket, now: 0.5).0 == "e")
    }

    @Test func `only the server's limits count without one of one's own`() {
        var table = table(.byServer)
        for _ in 0..<10_000 { expect(table.start(.custom("k"), now: 0)) }
        let lesson = RateLimitLesson(quotas: [.init(name: "", remaining: 1, window: 5)])
        _ = table.responseReceived(.custom("k"), lesson, now: 0)
        expect(
            table.start(.custom("k"), now: 0) && !table.start(.custom("k"), now: 4) && table.start(.custom("k"), now: 5)
        )
    }

    @Test func `the token of a call that is not sent goes to the next one`() {
        for limit in [RateLimit.requests(1, per: .second), .byServer] {
            var table = table(limit)
            _ = table.responseReceived(
                .custom("k"),
                RateLimitLesson(quotas: [
                    .init(name: "", remaining: 1, window: 1, policy: RateLimitLesson.Policy(quota: 1, window: 1))
                ]), now: 0)
            _ = table.start(.custom("k"), now: 0)
            guard case .waiting(let ticket, _) = table.submit(.custom("k"), now: 0, "a").0 else {
                Issue.record("not waiting")
                return
            }
            expect(names(table.advance(now: 1)) == ["a"])
            _ = table.submit(.custom("k"), now: 1, "b")
            expect(names(table.giveBack(ticket, now: 1)) == ["b"])
            #expect(table.waitingCount == 0)
            expect(table.nextAdvance(now: 1) == nil)
        }
    }

    @Test func `calls of several keys end in any order, and none is forgotten`() {
        var table = table(maximumKeys: 100, maximumWaiting: 1000)
        var tickets: [Table.Ticket] = []
        for number in 0..<300 {
            let key = RateLimitKey.Value.custom("\(number % 50)")
            if case .waiting(let ticket, _) = table.submit(key, now: 0, "\(number)").0 { tickets.append(ticket) }
        }
        for (index, ticket) in tickets.enumerated() where index % 3 == 0 { _ = table.cancel(ticket, now: 0) }
        let left = table.waitingCount
        var started = 0
        while let next = table.nextAdvance(now: Double(started)) { started += names(table.advance(now: next)).count }
        #expect(tickets.count == 250 && started == left && table.waitingCount == 0)
    }
}
