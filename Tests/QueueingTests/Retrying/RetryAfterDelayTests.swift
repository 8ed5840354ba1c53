import HTTPMessages
import Queueing
import Testing

@Suite struct RetryAfterDelayTests {
    private let delay: RetryAfterDelay<ConstantDelay> = .retryAfter(cap: .seconds(60), else: .constant(.seconds(2)))

    @Test(arguments: [
        ("0", 2), ("1", 2), ("2", 2), ("5", 5), ("60", 60), ("3600", 60), ("nonsense", 2),
        // The wall clock of the attempt says 08:49:37.
        ("Sun, 06 Nov 1994 08:49:36 GMT", 2), ("Sun, 06 Nov 1904 08:49:36 GMT", 2),
        ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
    ])
    func `waits as long as asked, up to the cap, and at least the backoff`(text: String, seconds: Int) throws {
        let attempt = try ended(request(), .tooManyRequests, fields: ["Retry-After": text])
        #expect(delay.delay(after: attempt, random: 0.5) == .seconds(seconds))
    }

    @Test func `waits the backoff without Retry-After`() throws {
        #expect(try delay.delay(after: ended(request(), .badGateway), random: 0.5) == .seconds(2))
    }

    @Test func `the cap is the longest wait that a server may ask for`() {
        #expect(delay.longestRetryAfter == .seconds(60) && delay.other.longestRetryAfter == nil)
    }
}
