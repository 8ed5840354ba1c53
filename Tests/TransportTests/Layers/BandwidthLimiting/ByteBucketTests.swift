import Testing

@testable import Transport

@Suite struct ByteBucketTests {
    @Test func `pieces pass at the rate, after a burst of a tenth of a second`() {
        var bucket = ByteBucket(rate: 1000)
        let times = (0..<4).map { _ in bucket.reserve(100, now: 10) }
        for (time, expected) in zip(times, [10, 10.1, 10.2, 10.3]) { #expect(abs(time - expected) < 1e-9) }
        // A pause saves up no more than that.
        let later = bucket.reserve(200, now: 100)
        #expect(abs(later - 100.1) < 1e-9)
    }

    @Test func `without a limit nothing waits, and a changed rate forgets what was reserved`() {
        var bucket = ByteBucket()
        let unlimited = bucket.reserve(.max, now: 1)
        #expect(unlimited == 1 && bucket.pieceSize == nil)
        bucket.set(rate: 10)
        _ = bucket.reserve(1000, now: 1)
        bucket.set(rate: 10)
        let kept = bucket.reserve(1, now: 1)
        #expect(kept > 100)
        bucket.set(rate: 1000)
        let new = bucket.reserve(100, now: 1)
        #expect(new == 1)
    }

    @Test(arguments: [(-5, 1), (0, 1), (1, 1), (19, 1), (1000, 50), (1 << 40, 64 << 10)])
    func `a piece is a twentieth of a second`(rate: Int, size: Int) {
        #expect(ByteBucket(rate: rate).pieceSize == size)
    }
}
