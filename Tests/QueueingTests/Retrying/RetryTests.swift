import HTTPMessages
import Queueing
import Testing

@Suite struct RetryTests {
    @Test func `the standard strategy`() throws {
        let standard: StandardRetry = .standard
        #expect(standard.limiter.count == 3 && standard.backoff.cap == .seconds(60))
        #expect(standard.backoff.minimum.base == .milliseconds(200) && standard.backoff.minimum.cap == .seconds(20))
        #expect(standard.classifier.statuses.map(\.code).sorted() == [408, 429, 502, 503, 504])
    }
}
