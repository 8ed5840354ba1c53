import PatchbayTestKit
import TestSupport
import Testing

@testable import Coordination

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

    @Test func `only the first value is taken, and can be read without a wait`() {
        let promise = Promise<Int>()
        #expect(promise.current == nil && promise.fulfill(1) && !promise.fulfill(2) && promise.current == 1)
    }

    @Test(arguments: [false, true]) func `cancelling calls the handler, before the wait or meanwhile`(
        _ isEarly: Bool
    ) async {
        let (promise, gate) = (Promise<Int>(), Gate())
        let call = Task {
            if isEarly { withUnsafeCurrentTask { $0?.cancel() } }
            gate.open()
            return await promise.value { promise.fulfill(-1) }
        }
        try? await gate.wait()
        if !isEarly { call.cancel() }
        #expect(await call.value == -1)
    }

    @Test func `a cancelled wait ends without the value, and others go on`() async throws {
        let promise = Promise<Int>()
        let calls = (0..<2).map { _ in Task { try await promise.cancellableValue() } }
        calls[0].cancel()
        await #expect(throws: CancellationError.self) { try await calls[0].value }
        promise.fulfill(3)
        #expect(try await calls[1].value == 3)
        #expect(try await promise.cancellableValue() == 3)
    }

    @Test func `a thread blocks until there is a value`() async {
        for number in 0..<50 {
            let promise = Promise<Int>()
            async let blocked = withTaskExecutorPreference(WorkerThreads.files) { await block(promise) }
            if number.isMultiple(of: 2) { await Task.yield() }
            promise.fulfill(number)
            #expect(await blocked == number)
        }
    }

    @concurrent private func block(_ promise: Promise<Int>) async -> Int { promise.blockingValue() }

    @Test func `an outcome is returned or thrown`() async throws {
        struct Broken: Error {}
        let promises = (0..<2).map { _ in Promise<Result<Int, Broken>>() }
        promises[0].fulfill(.success(1))
        promises[1].fulfill(.failure(Broken()))
        #expect(try await promises[0].success {} == 1)
        await #expect(throws: Broken.self) { try await promises[1].success {} }
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
