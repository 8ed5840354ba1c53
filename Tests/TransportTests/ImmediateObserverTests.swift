import HTTPMessages
import PatchbayTestKit
import Synchronization
import Testing
import Transport

@Suite struct ImmediateObserverTests {
    private struct Detail: DetailEvent { let description = "detail" }

    private final class Immediate: TransferObserver {
        let events = Mutex<[TransferEvent]>([])
        var isImmediate: Bool { true }
        func transfer(didEmit event: TransferEvent) { events.withLock { $0.append(event) } }
    }

    @Test func `an immediate observer gets each event in place`() async {
        let observer = Immediate()
        let relay = ObserverRelay(observer)
        for count in 1...3 { relay.send(.receivedBytes(Int64(count), total: nil)) }
        #expect(observer.events.withLock(\.count) == 3)
        await relay.finish()
    }

    @Test func `a detail is made only for an observer that asks for it`() {
        let (log, immediate) = (EventRecorder(), Immediate())
        var made = 0
        func make() -> Detail {
            made += 1
            return Detail()
        }
        log.report(make())
        #expect(made == 0 && log.events.isEmpty)
        immediate.report(make())
        #expect(made == 1 && immediate.events.withLock(\.self) == [.layer(Detail())])
    }
}
