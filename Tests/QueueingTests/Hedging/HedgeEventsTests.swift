import Testing
import Transport

@testable import Queueing

@Suite struct HedgeEventsTests {
    @Test func `keeps the last of each kind`() {
        let events = HedgeEvents()
        for event in [TransferEvent.sent(1, of: 2), .sent(2, of: 2), .received(1, of: nil), .received(3, of: nil)] {
            events.transfer(didReach: event)
        }
        #expect(events.events == [.sent(2, of: 2), .received(3, of: nil)])
    }
}
