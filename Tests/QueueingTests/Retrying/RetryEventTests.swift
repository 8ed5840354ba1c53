import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@Suite struct RetryEventTests {
    private struct Other: LayerEvent {
        let description = "other"
    }

    @Test func `an observer reads the attempt in one line`() throws {
        let attempt = TransportError.AttemptRecord(.status(.serviceUnavailable), backoff: .seconds(1))
        let event = TransferEvent.layer(RetryEvent(after: attempt))
        #expect(event.retriedAttempt == attempt)
        #expect("\(RetryEvent(after: attempt))" == "503 Service Unavailable, retried after 1.0 s")
        #expect(TransferEvent.layer(Other()).retriedAttempt == nil)
        #expect(TransferEvent.sentBytes(1, total: nil).retriedAttempt == nil)
    }

    @Test(.needsSlot) func `an observer that blocks at a retry delays a call only until its total timeout`()
        async throws
    {
        struct Observer: TransferObserver {
            let entered = Gate()
            let leave = DispatchSemaphore(value: 0)
            func transfer(didEmit event: TransferEvent) {
                guard case .layer = event else { return }
                entered.open()
                leave.wait()
            }
        }
        let (clock, observer) = (ManualClock(), Observer())
        let base = ScriptedTransport([], then: .failure(.connectionLost))
        let quick = Retry(classifier: .standard, backoff: .immediate, limiter: .attempts(3))
        let transport = Retrying(base: base, strategy: quick, clock: clock)
        let request = try request(total: .seconds(10))
        let call = Task { try await transport.send(request, observer: observer) }
        try await observer.entered.wait()
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(10))
        let error = await #expect(throws: TransportError.self) { try await call.value }
        observer.leave.signal()
        #expect(error?.code == .timedOut && error?.phase == .total && base.requests.count == 1)
    }
}
