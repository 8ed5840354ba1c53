import Coordination
import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct CoalescingTests {
    /// Idle when all callers on it wait for the shared response.
    private let executor = ObservedExecutor()

    @Test func `equal concurrent requests are sent once`() async throws {
        let gate = Gate()
        let base = ScriptedTransport([.after(gate, .text("shared"))], then: .text("next"))
        let transport = Coalescing(base: base)
        let request = try request()
        let ledger = CompletionLedger<HTTPResponse>()
        let tasks = (0..<50).map { number in
            let call = ledger.call("call \(number)")
            return Task(executorPreference: executor) { await call.run { try await transport.send(request) } }
        }
        try await gate.waitForWaiters(1)
        try await executor.waitUntilIdle()
        #expect(transport.waiterCount == 50)
        gate.open()
        for task in tasks { await task.value }
        try ledger.check()
        for outcome in try await ledger.waitForAll() {
            guard case .success(let response) = outcome else { return #expect(Bool(false)) }
            #expect(response.body == Data("shared".utf8))
        }
        #expect(base.requests.count == 1 && transport.inFlightCount == 0)
        // Finished requests are not shared.
        #expect(try await transport.send(request).body == Data("next".utf8))
    }

    @Test func `all callers get the error`() async throws {
        let gate = Gate()
        let base = ScriptedTransport([.after(gate, .failure(.connectionLost))])
        let transport = Coalescing(base: base)
        let request = try request()
        let tasks = (0..<3).map { _ in Task(executorPreference: executor) { try await transport.send(request) } }
        try await executor.waitUntilIdle()
        #expect(transport.waiterCount == 3)
        gate.open()
        for task in tasks {
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .connectionLost)
        }
        #expect(base.requests.count == 1)
    }

    @Test func `cancelling the first caller does not affect the others`() async throws {
        let gate = Gate()
        let base = RecordingTransport(base: ScriptedTransport([.after(gate, .text("shared"))]))
        let transport = Coalescing(base: base)
        let request = try request()
        let first = Task { try await transport.send(request) }
        try await gate.waitForWaiters(1)
        let second = Task(executorPreference: executor) { try await transport.send(request) }
        try await executor.waitUntilIdle()
        #expect(transport.waiterCount == 2)
        first.cancel()
        let error = await #expect(throws: TransportError.self) { try await first.value }
        #expect(error?.code == .cancelled && transport.inFlightCount == 1)
        gate.open()
        #expect(try await second.value.body == Data("shared".utf8))
        #expect(base.exchanges.map(\.isCancelled) == [false])
    }

    @Test func `cancelling the last caller cancels the request`() async throws {
        let base = RecordingTransport(base: ScriptedTransport([.never], then: .text("new")))
        let transport = Coalescing(base: base)
        let request = try request()
        let tasks = (0..<3).map { _ in Task(executorPreference: executor) { try await transport.send(request) } }
        try await executor.waitUntilIdle()
        try await base.base.requests(count: 1)
        #expect(transport.waiterCount == 3 && base.exchanges.count == 1)
        for task in tasks {
            task.cancel()
            await #expect(throws: TransportError.self) { try await task.value }
        }
        #expect(transport.inFlightCount == 0)
        #expect(try await base.exchanges(ended: 1)[0].isCancelled)
        #expect(try await transport.send(request).body == Data("new".utf8))
    }

    @Test func `a cancelled caller sends nothing`() async throws {
        let base = ScriptedTransport([], then: .text("x"))
        let transport = Coalescing(base: base)
        let request = try request()
        let error = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await #expect(throws: TransportError.self) { try await transport.send(request) }
        }.value
        #expect(error?.code == .cancelled && base.requests.isEmpty && transport.inFlightCount == 0)
    }

    @Test func `cancellation at any moment ends each call once`() async throws {
        let transport = Coalescing(
            base: FakeTransport { request in
                await Task.yield()
                return request.response(text: "x")
            })
        let request = try request()
        let ledger = CompletionLedger<HTTPResponse>()
        for round in 0..<300 {
            let tasks = (0..<4).map { number in
                let call = ledger.call("call \(number) of round \(round)")
                return Task { await call.run { try await transport.send(request, observer: EventRecorder()) } }
            }
            for _ in 0..<(round % 7) { await Task.yield() }
            for task in tasks.prefix(round % 5) { task.cancel() }
            for task in tasks { await task.value }
        }
        try ledger.check()
        #expect(transport.inFlightCount == 0 && transport.waiterCount == 0)
    }

    @Test func `all observers get the events, a late one those it missed`() async throws {
        let (first, second) = (EventRecorder(), EventRecorder())
        let (headIsOut, mayEnd) = (Gate(), Gate())
        let transport = Coalescing(base: Slow(headIsOut: headIsOut, mayEnd: mayEnd))
        let request = try request()
        let early = Task { try await transport.send(request, observer: first) }
        try await headIsOut.wait()
        let late = Task(executorPreference: executor) { try await transport.send(request, observer: second) }
        try await executor.waitUntilIdle()
        #expect(transport.waiterCount == 2)
        mayEnd.open()
        let response = try await early.value
        _ = try await late.value
        let events: [TransferEvent] = [.head(response.head), .receivedBytes(1, total: 1)]
        #expect(first.events == events && second.events == events)
    }

    @Test func `a cancelled call does not wait for its observer, also after the end of the request`() async throws {
        struct Blocked: TransferObserver {
            let entered = Gate()
            let leave = DispatchSemaphore(value: 0)
            func transfer(didEmit event: TransferEvent) {
                entered.open()
                leave.wait()
            }
        }
        let blocked = Blocked()
        defer { blocked.leave.signal() }
        let (headIsOut, mayEnd) = (Gate(), Gate())
        let transport = Coalescing(base: Slow(headIsOut: headIsOut, mayEnd: mayEnd))
        let request = try request()
        let call = Task { try await transport.send(request, observer: blocked) }
        try await blocked.entered.wait()
        mayEnd.open()
        try await eventually("the request has ended") { transport.inFlightCount == 0 }
        call.cancel()
        #expect(try await call.value.status == .ok)
    }

    @Test func `requests that cannot be shared are sent as they are`() async throws {
        let base = ScriptedTransport([], then: .text("x"))
        let transport = Coalescing(base: base)
        for request in [try request(.post, body: .text("x")), try request(total: .seconds(9))] {
            async let first = transport.send(request)
            async let second = transport.send(request)
            _ = try await [first, second]
        }
        #expect(base.requests.count == 4)
    }

    @Test func `a request within a work shares none that may wait for the work`() async throws {
        let gate = Gate()
        let base = ScriptedTransport([.after(gate, .text("app"))], then: .text("work"))
        let transport = Coalescing(base: base)
        let request = try request()
        let call = Task { try await transport.send(request).body }
        try await gate.waitForWaiters(1)
        let work = Task(executorPreference: executor) {
            try await RunningWork.run(for: base) { try await transport.send(request).body }
        }
        try await executor.waitUntilIdle()
        #expect(transport.waiterCount == 1)
        gate.open()
        #expect(try await work.value == Data("work".utf8))
        #expect(try await call.value == Data("app".utf8))
    }

    @Test func `callers that block every thread of the pool get their response`() async throws {
        try await LoopbackServer { request in request.response(text: "x") }.stopping(after: { server in
            let transport = Coalescing(base: URLSessionTransport(clock: ManualClock()))
            let request = try HTTPRequest(.get, server.url(of: "/"))
            let statuses = try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
                for _ in 0..<32 {
                    group.addTask { try blocking { try await transport.send(request) }.status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count == 32 && Set(statuses) == [.ok])
        })
    }

    @Test func `a shared request runs on threads of the package`() async throws {
        let transport = Coalescing(base: FakeTransport { $0.response(body: Data(threadName().utf8)) })
        #expect(try await transport.send(request()).body == Data("patchbay.calls".utf8))
    }
}

/// Reports a head, and the rest after a gate opens.
private struct Slow: Transport {
    let headIsOut: Gate
    let mayEnd: Gate

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let response = request.response(body: Data("x".utf8))
        observer?.transfer(didEmit: .head(response.head))
        headIsOut.open()
        try await mayEnd.wait()
        observer?.transfer(didEmit: .receivedBytes(1, total: 1))
        return response
    }
}
