import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct BalancingDeadlineTests {
    /// A clock with given readings, of which the last one repeats.
    private final class ReadClock: Clock {
        private let readings: Mutex<[Duration]>
        init(_ readings: [Duration]) { self.readings = Mutex(readings) }
        var now: ManualClock.Instant {
            ManualClock.Instant(offset: readings.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .zero })
        }
        var minimumResolution: Duration { .zero }
        func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws { try await Gate().wait() }
    }

    @Test func `a deadline that passes before the next attempt is a timeout`() async throws {
        // Creation, start of the call and of its first attempt, end of that, and start of the second one.
        let clock = ReadClock([.zero, .zero, .zero, .milliseconds(900), .milliseconds(1100)])
        let base = ScriptedTransport([.failure(.connectionLost)], then: .status(.ok))
        let transport = base.balancing(over: try HostList("http://a", "http://b"), clock: clock)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(request(.get, "http://a/", total: .seconds(1)))
        }
        #expect(error?.code == .timedOut && error?.phase == .total && error?.attempts.count == 1)
        #expect(base.requests.count == 1)
    }
}
