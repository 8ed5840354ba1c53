import HTTPMessages
import Queueing
import Testing

@Suite struct RetryAfterBackoffTests {
    private let backoff: RetryAfterBackoff<ConstantBackoff> = .retryAfter(
        cap: .seconds(60), minimum: .constant(.seconds(2)))

    @Test(arguments: [
        ("0", 2), ("1", 2), ("2", 2), ("5", 5), ("60", 60), ("3600", 60), ("nonsense", 2),
        // The wall clock of the attempt is 08:49:37.
        ("Sun, 06 Nov 1994 08:49:36 GMT", 2), ("Sun, 06 Nov 1904 08:49:36 GMT", 2),
        ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
    ])
    func `waits for Retry-After, up to the cap, and at least the minimum`(text: String, seconds: Int) throws {
        let attempt = try finished(request(), .tooManyRequests, fields: ["Retry-After": text])
        #expect(backoff.duration(after: attempt, random: 0.5) == .seconds(seconds))
    }

    @Test func `uses the minimum without Retry-After`() throws {
        #expect(try backoff.duration(after: finished(request(), .badGateway), random: 0.5) == .seconds(2))
    }

    @Test func `the cap is the longest Retry-After`() {
        #expect(backoff.maximumRetryAfter == .seconds(60) && backoff.minimum.maximumRetryAfter == nil)
    }
}
