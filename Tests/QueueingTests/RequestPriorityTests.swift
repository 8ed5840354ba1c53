import HTTPMessages
import Queueing
import Testing

@Suite struct RequestPriorityTests {
    @Test func `a higher level comes first`() {
        let levels: [RequestPriority] = [.high, .background, RequestPriority(level: 7), .normal]
        #expect(levels.sorted(by: >).map(\.level) == [100, 7, 0, -100])
        #expect(RequestPriority(level: 0) == .normal)
    }
}
