import Foundation
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite struct HedgeEventsTests {
    private let log = EventRecorder()

    @Test func `events of the first attempt pass at once, those of the winner by their last of each kind`() async {
        let events = HedgeEvents(log)
        let (first, second) = (events.observer(ofAttempt: 0), events.observer(ofAttempt: 1))
        first.transfer(didEmit: .sentBytes(1, total: 2))
        for event in [
            TransferEvent.sentBytes(1, total: 3), .sentBytes(3, total: 3), .receivedBytes(1, total: nil),
            .receivedBytes(3, total: nil),
        ] {
            second.transfer(didEmit: event)
        }
        #expect(log.events == [.sentBytes(1, total: 2)])
        events.won(1)
        await events.flush(isLast: false)
        #expect(log.events == [.sentBytes(1, total: 2), .sentBytes(3, total: 3), .receivedBytes(3, total: nil)])
        // A loser that is not cancelled yet.
        first.transfer(didEmit: .sentBytes(2, total: 2))
        second.transfer(didEmit: .receivedBytes(4, total: nil))
        #expect(log.events.dropFirst(3) == [.receivedBytes(4, total: nil)])
    }

    @Test func `a winning first attempt excludes all others`() {
        let events = HedgeEvents(log)
        let (first, second) = (events.observer(ofAttempt: 0), events.observer(ofAttempt: 1))
        second.transfer(didEmit: .receivedBytes(1, total: nil))
        first.transfer(didEmit: .sentBytes(1, total: 1))
        events.won(0)
        second.transfer(didEmit: .receivedBytes(2, total: nil))
        first.transfer(didEmit: .receivedBytes(9, total: nil))
        #expect(log.events == [.sentBytes(1, total: 1), .receivedBytes(9, total: nil)])
    }

    /// Blocks in the first event until it is told to leave.
    private final class Blocked: TransferObserver {
        let log = EventRecorder()
        let entered = Gate()
        let leave = DispatchSemaphore(value: 0)
        func transfer(didEmit event: TransferEvent) {
            log.transfer(didEmit: event)
            guard !entered.isOpen else { return }
            entered.open()
            leave.wait()
        }
    }

    @Test(.needsSlot, arguments: ["wait", "cancel", "drop"])
    func `a call ends after the last event, or when it must not wait, without further events`(end: String) async throws
    {
        let observer = Blocked()
        let events = HedgeEvents(observer)
        let left = Gate()
        Thread {
            events.observer(ofAttempt: 0).transfer(didEmit: .sentBytes(1, total: nil))
            left.open()
        }.start()
        try await observer.entered.wait()
        events.observer(ofAttempt: 1).transfer(didEmit: .receivedBytes(1, total: nil))
        // Another thread delivers.
        events.won(1)
        let call = Task { await events.flush(isLast: true) }
        switch end {
        case "cancel": call.cancel()
        case "drop": events.drop()
        default: observer.leave.signal()
        }
        await call.value
        events.observer(ofAttempt: 1).transfer(didEmit: .receivedBytes(2, total: nil))
        if end != "wait" {
            #expect(observer.log.events == [.sentBytes(1, total: nil)])
            observer.leave.signal()
        }
        try await left.wait()
        let rest: [TransferEvent] = end == "wait" ? [.receivedBytes(1, total: nil)] : []
        #expect(observer.log.events == [.sentBytes(1, total: nil)] + rest)
    }

    @Test func `events are serial and in order across threads`() {
        /// Declares another attempt the winner from within an event.
        final class Interrupted: TransferObserver {
            let events = Mutex<HedgeEvents?>(nil)
            let log = EventRecorder()
            let isBusy = Atomic(false)
            func transfer(didEmit event: TransferEvent) {
                let wasBusy = isBusy.exchange(true, ordering: .relaxed)
                #expect(!wasBusy)
                if event == .sentBytes(1, total: nil) {
                    let events = events.withLock(\.self)
                    events?.won(1)
                    events?.observer(ofAttempt: 1).transfer(didEmit: .receivedBytes(2, total: nil))
                }
                log.transfer(didEmit: event)
                isBusy.store(false, ordering: .relaxed)
            }
        }
        let observer = Interrupted()
        let events = HedgeEvents(observer)
        observer.events.withLock { $0 = events }
        events.observer(ofAttempt: 1).transfer(didEmit: .sentBytes(7, total: nil))
        events.observer(ofAttempt: 0).transfer(didEmit: .sentBytes(1, total: nil))
        #expect(
            observer.log.events == [
                .sentBytes(1, total: nil), .sentBytes(7, total: nil), .receivedBytes(2, total: nil),
            ])
        observer.events.withLock { $0 = nil }
    }
}
