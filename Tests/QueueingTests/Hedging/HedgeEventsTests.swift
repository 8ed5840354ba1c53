import Synchronization
import Testing
import Transport

@testable import Queueing

@Suite struct HedgeEventsTests {
    private let log = EventLog()

    @Test func `the first is heard at once, of another the last of each kind`() {
        let events = HedgeEvents(log)
        let (first, second) = (events.observer(ofAttempt: 0), events.observer(ofAttempt: 1))
        first.transfer(didReach: .sent(1, of: 2))
        for event in [TransferEvent.sent(1, of: 3), .sent(3, of: 3), .received(1, of: nil), .received(3, of: nil)] {
            second.transfer(didReach: event)
        }
        #expect(log.events == [.sent(1, of: 2)])
        events.won(1)
        #expect(log.events == [.sent(1, of: 2), .sent(3, of: 3), .received(3, of: nil)])
        // A loser that has not noticed yet.
        first.transfer(didReach: .sent(2, of: 2))
        second.transfer(didReach: .received(4, of: nil))
        #expect(log.events.dropFirst(3) == [.received(4, of: nil)])
    }

    @Test func `when the first wins no other is heard`() {
        let events = HedgeEvents(log)
        let (first, second) = (events.observer(ofAttempt: 0), events.observer(ofAttempt: 1))
        second.transfer(didReach: .received(1, of: nil))
        first.transfer(didReach: .sent(1, of: 1))
        events.won(0)
        second.transfer(didReach: .received(2, of: nil))
        first.transfer(didReach: .received(9, of: nil))
        #expect(log.events == [.sent(1, of: 1), .received(9, of: nil)])
    }

    @Test func `one at a time and in order, whoever speaks meanwhile`() {
        /// Hears of another attempt's success while it is being told something.
        final class Interrupted: TransferObserver {
            let events = Mutex<HedgeEvents?>(nil)
            let log = EventLog()
            let isBusy = Atomic(false)
            func transfer(didReach event: TransferEvent) {
                let wasBusy = isBusy.exchange(true, ordering: .relaxed)
                #expect(!wasBusy)
                if event == .sent(1, of: nil) {
                    let events = events.withLock(\.self)
                    events?.won(1)
                    events?.observer(ofAttempt: 1).transfer(didReach: .received(2, of: nil))
                }
                log.transfer(didReach: event)
                isBusy.store(false, ordering: .relaxed)
            }
        }
        let observer = Interrupted()
        let events = HedgeEvents(observer)
        observer.events.withLock { $0 = events }
        events.observer(ofAttempt: 1).transfer(didReach: .sent(7, of: nil))
        events.observer(ofAttempt: 0).transfer(didReach: .sent(1, of: nil))
        #expect(observer.log.events == [.sent(1, of: nil), .sent(7, of: nil), .received(2, of: nil)])
        observer.events.withLock { $0 = nil }
    }
}
