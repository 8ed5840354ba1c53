import PatchbayTestKit
import TestSupport
import Testing

@testable import Queueing

@Suite(.needsSlot) struct PromiseTests {
    @Test func `the first value counts`() async {
        let promise = Promise<Int>()
        promise.fulfill(1)
        promise.fulfill(2)
        #expect(await promise.value == 1)
    }

    @Test func `fulfilling wakes the waiting task`() async {
        for number in 0..<500 {
            let promise = Promise<Int>()
            async let value = promise.value
            if number.isMultiple(of: 2) { await Task.yield() }
            promise.fulfill(number)
            #expect(await value == number)
        }
    }

    @Test func `each waiting task gets the value`() async {
        let promise = Promise<Int>()
        let tasks = (0..<20).map { _ in Task { await promise.value } }
        for _ in 0..<10 { await Task.yield() }
        promise.fulfill(7)
        for task in tasks { #expect(await task.value == 7) }
        #expect(await promise.value == 7)
    }

    @Test func `cancels the child task`() async throws {
        struct Broken: Error {}
        #expect(try await Promise<Bool>().runCancellable { 1 } == 1)
        await #expect(throws: Broken.self) { try await Promise<Bool>().runCancellable { throw Broken() } }
        for isEarly in [false, true] {
            let (promise, gate) = (Promise<Bool>(), Gate())
            if isEarly { promise.fulfill(true) }
            let call = Task { try await promise.runCancellable { try await gate.wait() } }
            try await gate.waitForWaiters(1)
            promise.fulfill(true)
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }
}
