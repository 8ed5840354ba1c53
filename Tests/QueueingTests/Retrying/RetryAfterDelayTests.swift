import HTTPMessages
import Queueing
import Testing

@Suite struct RetryAfterDelayTests {
    private let delay: RetryAfterDelay<ConstantDelay> = .retryAfter(cap: .seconds(60), else: .constant(.seconds(2)))

    @Test(arguments: [("0", 0), ("5", 5), ("60", 60), ("3600", 60), ("nonsense", 2)])
    func `does as it is asked, up to the cap`(text: String, seconds: Int) throws {
        let attempt = try ended(request(), .tooManyRequests, fields: ["Retry-After": text])
        #expect(delay.delay(after: attempt, random: 0.5) == .seconds(seconds))
    }

    @Test func `does as another delay says where nobody asks`() throws {
        #expect(try delay.delay(after: ended(request(), .badGateway), random: 0.5) == .seconds(2))
    }
}
