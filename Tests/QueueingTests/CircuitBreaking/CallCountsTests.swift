import PatchbayTestKit
import Testing

@testable import Queueing

@Suite struct CallCountsTests {
    @Test func `counts exactly the window`() {
        var counts = CallCounts(window: .seconds(10))
        for second in 0..<10 { counts.add(failed: second.isMultiple(of: 2), now: .seconds(second)) }
        #expect(counts.sums(now: .seconds(9)) == (10, 5))
        #expect(counts.sums(now: .seconds(10)) == (9, 4))
        #expect(counts.sums(now: .seconds(18)) == (1, 0))
        #expect(counts.sums(now: .seconds(19)) == (0, 0))
        counts.add(failed: true, now: .seconds(1000))
        #expect(counts.sums(now: .seconds(1000)) == (1, 1))
    }

    @Test func `counts all calls in the window`() {
        var generator = SeededGenerator(seed: 7)
        var counts = CallCounts(window: .seconds(10))
        var calls: [(slot: Int, failed: Bool)] = []
        var now = 0
        for _ in 0..<2000 {
            now += Int.random(in: 0...1500, using: &generator)
            let failed = Bool.random(using: &generator)
            counts.add(failed: failed, now: .milliseconds(now))
            calls.append((now / 1000, failed))
            let recent = calls.filter { $0.slot > now / 1000 - 10 }
            #expect(counts.sums(now: .milliseconds(now)) == (recent.count, recent.count { $0.failed }))
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.max)]) func `extreme windows do not trap`(
        window: Duration
    ) {
        var counts = CallCounts(window: window)
        for now in [Duration.zero, .seconds(-5), .seconds(Int64.max), .nanoseconds(1)] {
            counts.add(failed: true, now: now)
            _ = counts.sums(now: now)
        }
    }
}
