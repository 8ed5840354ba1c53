import PatchbayTestKit
import TestSupport
import Testing

@testable import Queueing

@Suite(.needsSlot) struct SignalTests {
    @Test func theFirstValueCounts() async {
        let signal = Signal<Int>()
        signal.send(1)
        signal.send(2)
        #expect(await signal.value == 1)
    }

    @Test func wakesWhoWaits() async {
        for number in 0..<500 {
            let signal = Signal<Int>()
            async let value = signal.value
            if number.isMultiple(of: 2) { await Task.yield() }
            signal.send(number)
            #expect(await value == number)
        }
    }

    @Test func cancelsWhatItIsTo() async throws {
        struct Broken: Error {}
        #expect(try await Signal<Bool>().cancelling { 1 } == 1)
        await #expect(throws: Broken.self) { try await Signal<Bool>().cancelling { throw Broken() } }
        for isEarly in [false, true] {
            let (signal, gate) = (Signal<Bool>(), Gate())
            if isEarly { signal.send(true) }
            let call = Task { try await signal.cancelling { try await gate.wait() } }
            try await gate.waitForArrivals(1)
            signal.send(true)
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }
}
