import Testing

@testable import Transport

@Suite struct ByteBucketTests {
    /// Reserves some bytes.
    private func reserve(_ count: Int, _ bucket: inout ByteBucket, now: Double) -> Double {
        defer { bucket.reserve(count, now: now) }
        return bucket.time(of: count, now: now)
    }

    @Test func `pieces pass at the rate, after a burst of a tenth of a second`() {
        var bucket = ByteBucket(rate: 1000)
        let times = (0..<4).map { _ in reserve(100, &bucket, now: 10) }
        for (time, expected) in zip(times, [10, 10.1, 10.2, 10.3]) { #expect(abs(time - expected) < 1e-9) }
        // A pause saves up no more than that.
        let later = reserve(200, &bucket, now: 100)
        #expect(abs(later - 100.1) < 1e-9)
    }

    @Test func `without a limit nothing waits, and at another rate the reserved bytes still pass`() {
        var bucket = ByteBucket()
        let unlimited = reserve(.max, &bucket, now: 1)
        #expect(unlimited == 1 && bucket.pieceSize == nil)
        bucket.set(rate: 10, now: 1)
        _ = reserve(1001, &bucket, now: 1)
        bucket.set(rate: 10, now: 1)
        #expect(abs(bucket.time(of: 0, now: 1) - 101) < 1e-9)
        bucket.set(rate: 1000, now: 1)
        #expect(abs(bucket.time(of: 0, now: 1) - 2) < 1e-9)
        bucket.set(rate: 100, now: 1.5)
        #expect(abs(bucket.time(of: 0, now: 1.5) - 6.5) < 1e-9)
        bucket.set(rate: nil, now: 1.5)
        bucket.set(rate: 100, now: 1.5)
        #expect(bucket.time(of: 10, now: 1.5) == 1.5)
    }

    @Test func `bytes that do not pass give back their time`() {
        var bucket = ByteBucket(rate: 100)
        _ = reserve(110, &bucket, now: 0)
        bucket.refund(50)
        #expect(abs(bucket.time(of: 0, now: 0) - 0.5) < 1e-9)
    }

    @Test(arguments: [(-5, 1), (0, 1), (1, 1), (19, 1), (1000, 50), (1 << 40, 64 << 10)])
    func `a piece is a twentieth of a second`(rate: Int, size: Int) {
        #expect(ByteBucket(rate: rate).pieceSize == size)
    }
}
