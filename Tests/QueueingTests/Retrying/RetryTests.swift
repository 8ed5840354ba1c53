import HTTPMessages
import Queueing
import Testing

@Suite struct RetryTests {
    @Test func `the standard`() throws {
        let standard: StandardRetry = .standard
        #expect(standard.permission.count == 3 && standard.delay.cap == .seconds(60))
        #expect(standard.delay.other.base == .milliseconds(200) && standard.delay.other.cap == .seconds(20))
        #expect(standard.triage.statuses.map(\.code).sorted() == [408, 429, 502, 503, 504])
    }
}
