import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct RequestQueueTests {
    private let executor = ObservedExecutor()

    /// Submits requests, and expects a number of waiting ones.
    private func sending(
        _ requests: [HTTPRequest], over transport: some Transport, waiting: Int, in queue: RequestQueue,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Task<HTTPResponse, any Error>] {
        let tasks = requests.map { request in
            Task(executorPreference: executor) { try await transport.send(request) }
        }
        try await executor.waitUntilIdle()
        #expect(queue.waitingCount == waiting, sourceLocation: sourceLocation)
        return tasks
    }

    private func code(_ task: Task<HTTPResponse, any Error>) async -> String {
        do { return try await task.value.status.code.description } catch {
            return (error as? TransportError)?.code.description ?? (error as? AdmissionError)?.code.description
                ?? "\(error)"
        }
    }

    @Test func `a paused queue sends nothing until resumed`() async throws {
        let queue = RequestQueue()
        let transport = Queued(base: ScriptedTransport([], then: .status(.ok)), queue: queue)
        queue.pause()
        let tasks = try await sending(
            [try HTTPRequest.get("/1"), try HTTPRequest.get("/2")], over: transport, waiting: 2, in: queue)
        #expect(queue.snapshot.isPaused && transport.base.requests.isEmpty)
        queue.resume()
        for task in tasks { _ = try await task.value }
        #expect(!queue.snapshot.isPaused)
    }

    @Test func `drain finishes running and waiting requests`() async throws {
        let gate = Gate()
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
        let transport = Queued(base: ScriptedTransport([.after(gate, .status(.ok))], then: .status(.ok)), queue: queue)
        let tasks = try await sending(
            [try HTTPRequest.get("/1"), try HTTPRequest.get("/2")], over: transport, waiting: 1, in: queue)
        let drains = (0..<3).map { _ in Task(executorPreference: executor) { try await queue.drain() } }
        try await executor.waitUntilIdle()
        #expect(queue.snapshot.isDraining)
        let late = try HTTPRequest.get("/late")
        let refused = await #expect(throws: AdmissionError.self) { try await transport.send(late) }
        #expect(refused?.code == .queueDraining)
        drains[2].cancel()
        let cancelled = await #expect(throws: TransportError.self) { try await drains[2].value }
        #expect(cancelled?.code == .cancelled && queue.runningCount == 1)
        gate.open()
        for drain in drains[..<2] { try await drain.value }
        for task in tasks { #expect(await code(task) == "200") }
        // A second drain returns at once.
        try await queue.drain()
        try await RequestQueue().drain()
    }

    @Test func `cancelAll spares only running requests without a tag`() async throws {
        let gate = Gate()
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 2))
        let transport = Queued(base: ScriptedTransport([], then: .after(gate, .status(.ok))), queue: queue)
        let running = try await sending([try HTTPRequest.get("/plain")], over: transport, waiting: 0, in: queue)
        let tagged = try await sending([try HTTPRequest.get("/tag", tag: "t")], over: transport, waiting: 0, in: queue)
        try await transport.base.requests(count: 2)
        let waiting = try await sending(
            [try HTTPRequest.get("/3"), try HTTPRequest.get("/4", tag: "t")], over: transport, waiting: 2, in: queue)
        #expect(queue.cancelAll() == 3)
        for task in tagged + waiting { #expect(await code(task) == "cancelled") }
        let left = queue.snapshot.running
        #expect(left.map(\.tag) == [nil] && left.map(\.isCancelling) == [false])
        #expect(queue.cancelAll() == 0 && queue.cancel(left[0].id) == 0)
        gate.open()
        #expect(await code(running[0]) == "200")
        #expect(transport.base.requests.count == 2)
    }

    @Test func `cancelAll spares nothing with the scope of all requests`() async throws {
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 2))
        let transport = Queued(base: ScriptedTransport([], then: .never), queue: queue, cancellationScope: .all)
        #expect(transport.cancellationScope == .all && Queued(base: transport.base).cancellationScope == .tagged)
        let running = try await sending(
            [try HTTPRequest.get("/1"), try HTTPRequest.get("/2", tag: "t")], over: transport, waiting: 0, in: queue)
        try await transport.base.requests(count: 2)
        let waiting = try await sending([try HTTPRequest.get("/3")], over: transport, waiting: 1, in: queue)
        #expect(queue.cancel(tag: "t") == 1)
        #expect(await code(running[1]) == "cancelled")
        try await transport.base.requests(count: 3)
        let entry = try #require(queue.snapshot.running.first)
        #expect(queue.cancel(entry.id) == 1)
        #expect(await code(running[0]) == "cancelled")
        #expect(queue.cancelAll() == 1)
        #expect(await code(waiting[0]) == "cancelled")
    }

    @Test func `IDs are valid in their own queue only`() async throws {
        let queues = [RequestQueue(), RequestQueue()]
        let tickets = try queues.map { queue in
            queue.pause()
            return try queue.submit(HTTPRequest.get()) { _ in }
        }
        #expect(tickets[0] != tickets[1])
        #expect(queues[1].cancel(tickets[0].id) == 0 && queues[1].waitingCount == 1)
        #expect(queues[0].cancel(tickets[0].id) == 1 && queues[0].waitingCount == 0)
    }

    @Test func `each pause ends by its own reason`() async throws {
        let queue = RequestQueue()
        let transport = Queued(base: ScriptedTransport([], then: .status(.ok)), queue: queue)
        let other = PauseReason("other")
        queue.pause()
        queue.pause(other)
        let tasks = try await sending([try HTTPRequest.get()], over: transport, waiting: 1, in: queue)
        queue.resume(other)
        #expect(queue.snapshot.pauseReasons == [.manual] && queue.waitingCount == 1)
        queue.resume()
        #expect(await code(tasks[0]) == "200")
    }

    @Test func `a request can be cancelled by its ID`() async throws {
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
        queue.pause()
        let transport = Queued(base: ScriptedTransport([], then: .status(.ok)), queue: queue)
        let first = try await sending([try HTTPRequest.get("/1")], over: transport, waiting: 1, in: queue)
        let second = try await sending([try HTTPRequest.get("/2")], over: transport, waiting: 2, in: queue)
        let ids = queue.snapshot.waiting.map(\.id)
        #expect(queue.cancel(ids[0]) == 1)
        #expect(await code(first[0]) == "cancelled")
        queue.resume()
        #expect(await code(second[0]) == "200")
        #expect(queue.cancel(ids[1]) == 0)
    }

    @Test func `limits can change`() async throws {
        let gate = Gate()
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
        let transport = Queued(base: ScriptedTransport([], then: .after(gate, .status(.ok))), queue: queue)
        let tasks = try await sending(
            [try HTTPRequest.get("/1"), try HTTPRequest.get("/2"), try HTTPRequest.get("/3")], over: transport,
            waiting: 2, in: queue)
        queue.limits.maximumConcurrent = 2
        try await transport.base.requests(count: 2)
        #expect(queue.runningCount == 2 && queue.waitingCount == 1 && queue.limits.maximumConcurrent == 2)
        gate.open()
        for task in tasks { #expect(await code(task) == "200") }
    }

    @Test func `a snapshot shows waiting requests and their age`() async throws {
        let clock = ManualClock()
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1), clock: clock)
        queue.pause()
        let transport = Queued(base: ScriptedTransport([], then: .status(.ok)), queue: queue)
        let tasks = try await sending(
            [try HTTPRequest.get("/1?token=sesame", host: "H:81", priority: .background, tag: "t")], over: transport,
            waiting: 1, in: queue)
        await clock.advance(by: .seconds(3))
        let entry = try #require(queue.snapshot.waiting.first)
        #expect(
            entry.origin == "http://h:81" && entry.method == .get && entry.priority == .background && entry.tag == "t")
        #expect(entry.age == .seconds(3) && !entry.isSuspended && !entry.isCancelling)
        #expect(!"\(queue.snapshot)".contains("sesame"))
        queue.cancelAll()
        #expect(await code(tasks[0]) == "cancelled")
    }

    @Test func `deadlines fire in order`() async throws {
        let clock = ManualClock()
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1), clock: clock)
        queue.pause()
        let transport = Queued(base: ScriptedTransport([]), queue: queue)
        var tasks: [Task<HTTPResponse, any Error>] = []
        for seconds in [5, 2, 9, 2] {
            tasks += try await sending(
                [try HTTPRequest.get(total: .seconds(seconds))], over: transport, waiting: tasks.count + 1, in: queue)
        }
        for (seconds, expired, left) in [(2, [1, 3], 2), (5, [0], 1), (9, [2], 0)] {
            try await clock.waitForSleepers(1)
            await clock.advance(to: ManualClock.Instant(offset: .seconds(seconds)))
            for index in expired { #expect(await code(tasks[index]) == "expired") }
            #expect(queue.waitingCount == left)
        }
    }
}
