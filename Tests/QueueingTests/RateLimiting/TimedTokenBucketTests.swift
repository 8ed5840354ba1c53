import Testing

@testable import Queueing

@Suite struct TimedTokenBucketTests {
    @Test func `a burst, then the rate`() {
        var bucket = TimedTokenBucket(rate: 10, capacity: 3, now: 0)
        for _ in 0..<3 {
            expect(bucket.wait(for: 1, now: 0) == 0)
            bucket.take(1)
        }
        expect(bucket.wait(for: 1, now: 0) == 0.1)
        expect(abs(bucket.wait(for: 5, now: 0) - 0.5) < 1e-9)
        expect(bucket.wait(for: 1, now: 0.1) == 0)
        #expect(!bucket.isFull(now: 0.2) && bucket.isFull(now: 0.3))
    }

    @Test func `it saves up no more than its capacity, and time does not go back`() {
        var bucket = TimedTokenBucket(rate: 10, capacity: 3, now: 0)
        bucket.refill(now: 1000)
        #expect(bucket.tokens == 3)
        bucket.take(3)
        bucket.refill(now: 999)
        #expect(bucket.tokens == 0)
        bucket.refill(now: 1000.1)
        #expect(abs(bucket.tokens - 1) < 1e-6)
    }

    @Test func `another rate counts from now on, and a drained bucket has no tokens`() {
        var bucket = TimedTokenBucket(rate: 1, capacity: 10, now: 0)
        bucket.set(rate: 2, capacity: 4, now: 0)
        #expect(bucket.tokens == 4)
        bucket.drain()
        expect(bucket.wait(for: 1, now: 0) == 0.5)
        bucket.set(rate: 0, capacity: 4, now: 0)
        expect(bucket.wait(for: 1, now: 0) == .infinity)
    }
}
