import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import Testing
import Transport

@Suite(.timeLimit(.minutes(1))) struct QueuedTests {
    private func request(
        _ path: String = "/", host: String = "h", priority: RequestPriority = .normal, tag: String? = nil,
        total: Duration? = nil
    ) throws -> HTTPRequest {
        try HTTPRequest(
            .get, "http://\(host)\(path)",
            options: RequestOptions(timeouts: Timeouts(total: total), priority: priority, tag: tag))
    }

    /// One request that runs until the gate opens, so that others have to wait.
    private func occupied(
        _ limits: QueueLimits = QueueLimits(running: 1), clock: ManualClock = ManualClock(),
        _ body: (Queued<ScriptedTransport>, Gate) async throws -> Void
    ) async throws {
        let gate = Gate()
        let base = ScriptedTransport([.after(gate, .status(.ok))], then: .status(.ok))
        let transport = Queued(base: base, queue: RequestQueue(limits: limits, clock: clock))
        let first = try request("/first")
        async let running = transport.send(first)
        try await base.requests(count: 1)
        try await body(transport, gate)
        gate.open()
        _ = try await running
        #expect(transport.queue.runningCount == 0 && transport.queue.waitingCount == 0)
    }

    private func wait(_ queue: RequestQueue, waiting count: Int) async {
        while queue.waitingCount != count { await Task.yield() }
    }

    @Test func highestPriorityFirstThenFirstCome() async throws {
        try await occupied { transport, gate in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, priority) in [RequestPriority.background, .normal, .immediate, .normal].enumerated() {
                    let request = try request("/\(number)", priority: priority)
                    group.addTask { _ = try await transport.send(request) }
                    await wait(transport.queue, waiting: number + 1)
                }
                gate.open()
                try await group.waitForAll()
            }
            #expect(transport.base.requests.map { $0.url.path() } == ["/first", "/2", "/1", "/3", "/0"])
        }
    }

    @Test func anOriginThatIsFullHoldsUpNoOther() async throws {
        try await occupied(QueueLimits(running: 2, runningPerKey: 1)) { transport, gate in
            let (same, other) = (try request("/same"), try request("/other", host: "i"))
            async let waits = transport.send(same)
            await wait(transport.queue, waiting: 1)
            _ = try await transport.send(other)
            gate.open()
            _ = try await waits
            #expect(transport.base.requests.map { $0.url.path() } == ["/first", "/other", "/same"])
        }
    }

    @Test func whoIsCancelledWhileWaitingIsNotSent() async throws {
        try await occupied { transport, _ in
            let request = try request("/x")
            let task = Task { try await transport.send(request) }
            await wait(transport.queue, waiting: 1)
            task.cancel()
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .cancelled && error?.request == "GET http://h/x")
            #expect(transport.base.requests.count == 1 && transport.queue.waitingCount == 0)
        }
    }

    @Test func theTotalDeadlineHoldsWhileWaiting() async throws {
        let clock = ManualClock()
        try await occupied(clock: clock) { transport, _ in
            let request = try request("/x", total: .seconds(5))
            let task = Task { try await transport.send(request) }
            try await clock.waitForSleepers(1)
            await clock.advance(by: .seconds(4.9))
            #expect(transport.queue.waitingCount == 1)
            await clock.advance(by: .seconds(0.1))
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .timedOut && error?.phase == .total)
            #expect(transport.base.requests.count == 1)
        }
    }

    @Test func theBaseGetsWhatIsLeftOfTheTotalDeadline() async throws {
        let clock = ManualClock()
        try await occupied(clock: clock) { transport, gate in
            let request = try request("/x", total: .seconds(5))
            async let response = transport.send(request)
            try await clock.waitForSleepers(1)
            await clock.advance(by: .seconds(3))
            gate.open()
            _ = try await response
            #expect(transport.base.requests.last?.options.timeouts.total == .seconds(2))
        }
    }

    @Test func tagsEndWhatWaitsAndWhatRuns() async throws {
        let base = ScriptedTransport([.never], then: .never)
        let transport = Queued(base: base, queue: RequestQueue(limits: QueueLimits(running: 1)))
        let (a, b) = (try request("/a", tag: "t"), try request("/b", tag: "t"))
        let tasks = [a, b].map { request in Task { try await transport.send(request) } }
        try await base.requests(count: 1)
        await wait(transport.queue, waiting: 1)
        transport.queue.cancel(tag: "other")
        #expect(transport.queue.runningCount == 1)
        transport.queue.cancel(tag: "t")
        for task in tasks {
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
        #expect(base.requests.count == 1)
    }
}
