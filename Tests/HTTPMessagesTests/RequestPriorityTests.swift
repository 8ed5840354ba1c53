import HTTPMessages
import Testing

@Suite struct RequestPriorityTests {
    @Test func `a higher level goes first`() {
        let levels: [RequestPriority] = [.immediate, .background, RequestPriority(level: 7), .normal]
        #expect(levels.sorted(by: >).map(\.level) == [100, 7, 0, -100])
        #expect(RequestPriority(level: 0) == .normal)
    }
}
