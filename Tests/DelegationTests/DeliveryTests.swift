import Delegation
import Dispatch
import PatchbayTestKit
import TestSupport
import Testing

@Suite(.needsSlot) struct DeliveryTests {
    private static let key = DispatchSpecificKey<String>()

    @Test func `inline calls back synchronously on the current thread`() {
        let log = Log<Int>()
        Delivery.inline.deliver { log.note(1) }
        #expect(log.all == [1])
    }

    @Test func `a serial queue calls back in order`() async throws {
        let queue = DispatchQueue(label: "test")
        queue.setSpecific(key: Self.key, value: "mine")
        let log = Log<Int>()
        let done = Gate()
        queue.suspend()
        for number in 0..<100 {
            Delivery.queue(queue).deliver {
                if DispatchQueue.getSpecific(key: Self.key) == "mine" { log.note(number) }
                if number == 99 { done.open() }
            }
        }
        #expect(log.all.isEmpty)
        queue.resume()
        try await done.wait()
        #expect(log.all == Array(0..<100))
    }

    @Test func `code that a serial queue runs holds up its callbacks, code elsewhere does not`() async {
        let queue = DispatchQueue(label: "test")
        let nested = DispatchQueue(label: "nested", target: queue)
        let cases: [(Delivery, DispatchQueue, Bool)] = [
            (.queue(queue), queue, true), (.queue(queue), nested, true), (.queue(nested), queue, false),
            (.queue(queue), .global(), false), (.queue(.global()), .global(), false), (.inline, queue, false),
            (.main, .main, true), (.queue(.main), .main, true), (.main, queue, false), (.queue(.main), queue, false),
        ]
        for (number, (delivery, runner, isCurrent)) in cases.enumerated() {
            let found = await withCheckedContinuation { found in
                runner.async { found.resume(returning: delivery.isCurrent) }
            }
            #expect(found == isCurrent, "case \(number)")
        }
    }

    @Test @MainActor func `main calls back on the main queue, never synchronously`() async throws {
        let log = Log<Int>()
        let done = Gate()
        for number in 0..<3 {
            Delivery.main.deliver {
                dispatchPrecondition(condition: .onQueue(.main))
                log.note(number)
                if number == 2 { done.open() }
            }
        }
        #expect(log.all.isEmpty)
        try await done.wait()
        #expect(log.all == [0, 1, 2])
    }
}
