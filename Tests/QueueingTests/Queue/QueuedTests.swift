import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct QueuedTests {
    private let executor = ObservedExecutor()

    /// Occupies one slot with a request until the gate opens.
    private func occupied(
        _ limits: QueueLimits = QueueLimits(maximumConcurrent: 1), clock: ManualClock = ManualClock(),
        _ body: (Queued<ScriptedTransport>, Gate) async throws -> Void
    ) async throws {
        let gate = Gate()
        let base = ScriptedTransport([.after(gate, .status(.ok))], then: .status(.ok))
        let transport = Queued(base: base, queue: RequestQueue(limits: limits, clock: clock))
        let first = try HTTPRequest.get("/first")
        async let running = transport.send(first)
        try await base.requests(count: 1)
        try await body(transport, gate)
        gate.open()
        _ = try await running
        #expect(transport.queue.runningCount == 0 && transport.queue.waitingCount == 0)
    }

    @Test func `the highest priority starts first, then the oldest`() async throws {
        try await occupied { transport, gate in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, priority) in [RequestPriority.background, .normal, .high, .normal].enumerated() {
                    let request = try HTTPRequest.get("/\(number)", priority: priority)
                    group.addTask(executorPreference: executor) { _ = try await transport.send(request) }
                    try await executor.waitUntilIdle()
                    #expect(transport.queue.waitingCount == number + 1)
                }
                gate.open()
                try await group.waitForAll()
            }
            #expect(transport.base.requests.map { $0.url.path() } == ["/first", "/2", "/1", "/3", "/0"])
        }
    }

    @Test func `an origin at its limit does not block others`() async throws {
        try await occupied(QueueLimits(maximumConcurrent: 2, maximumConcurrentPerKey: 1)) { transport, gate in
            let (same, other) = (try HTTPRequest.get("/same"), try HTTPRequest.get("/other", host: "i"))
            let waits = Task(executorPreference: executor) { try await transport.send(same) }
            try await executor.waitUntilIdle()
            #expect(transport.queue.waitingCount == 1)
            _ = try await transport.send(other)
            gate.open()
            _ = try await waits.value
            #expect(transport.base.requests.map { $0.url.path() } == ["/first", "/other", "/same"])
        }
    }

    @Test func `a request cancelled in the queue is not sent`() async throws {
        try await occupied { transport, _ in
            let request = try HTTPRequest.get("/x")
            let task = Task(executorPreference: executor) { try await transport.send(request) }
            try await executor.waitUntilIdle()
            #expect(transport.queue.waitingCount == 1)
            task.cancel()
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .cancelled && error?.request == "GET http://h/x")
            #expect(transport.base.requests.count == 1 && transport.queue.waitingCount == 0)
        }
    }

    @Test func `the total timeout applies in the queue`() async throws {
        let clock = ManualClock()
        try await occupied(clock: clock) { transport, _ in
            let request = try HTTPRequest.get("/x", total: .seconds(5))
            let task = Task { try await transport.send(request) }
            try await clock.waitForSleepers(1)
            await clock.advance(by: .seconds(4.9))
            #expect(transport.queue.waitingCount == 1)
            await clock.advance(by: .seconds(0.1))
            let error = await #expect(throws: AdmissionError.self) { try await task.value }
            #expect(error?.code == .expired && error?.request == "GET http://h/x")
            #expect(error?.message == "Timed out in the queue: not started within 5.0 s.")
            #expect(transport.base.requests.count == 1)
        }
    }

    @Test func `the base gets the remaining total timeout`() async throws {
        let clock = ManualClock()
        try await occupied(clock: clock) { transport, gate in
            let request = try HTTPRequest.get("/x", total: .seconds(5))
            async let response = transport.send(request)
            try await clock.waitForSleepers(1)
            await clock.advance(by: .seconds(3))
            gate.open()
            _ = try await response
            #expect(transport.base.requests.last?.options.timeouts.total == .seconds(2))
        }
    }

    @Test func `cancelling a tag ends waiting and running requests`() async throws {
        let base = ScriptedTransport([.never], then: .never)
        let transport = Queued(base: base, queue: RequestQueue(limits: QueueLimits(maximumConcurrent: 1)))
        let (a, b) = (try HTTPRequest.get("/a", tag: "t"), try HTTPRequest.get("/b", tag: "t"))
        let tasks = [a, b].map { request in
            Task(executorPreference: executor) { try await transport.send(request) }
        }
        try await base.requests(count: 1)
        try await executor.waitUntilIdle()
        #expect(transport.queue.waitingCount == 1)
        transport.queue.cancel(tag: "other")
        #expect(transport.queue.runningCount == 1)
        transport.queue.cancel(tag: "t")
        for task in tasks {
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
        #expect(base.requests.count == 1)
    }

    @Test func `the task of a tagged request can cancel it`() async throws {
        let transport = Queued(base: ScriptedTransport([.never]))
        let request = try HTTPRequest.get(tag: "t")
        let task = Task { try await transport.send(request) }
        try await transport.base.requests(count: 1)
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled && transport.queue.runningCount == 0)
    }

    @Test func `passes responses and errors of the base`() async throws {
        for tag in [nil, "t"] {
            let transport = Queued(base: ScriptedTransport([.text("here"), .failure(.connectionLost)]))
            let request = try HTTPRequest.get(tag: tag)
            #expect(try await transport.send(request).body == Data("here".utf8))
            let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
            #expect(error?.code == .connectionLost && transport.queue.runningCount == 0)
        }
    }

    @Test func `passes progress events`() async throws {
        for tag in [nil, "t"] {
            let recorder = RecordingTransport(base: Queued(base: ScriptedTransport([.text("here")])))
            _ = try await recorder.send(HTTPRequest.get(tag: tag))
            #expect(recorder.exchanges[0].events.last == .receivedBytes(4, total: 4))
        }
    }

    @Test func `a cancelled task submits nothing`() async throws {
        let transport = Queued(base: ScriptedTransport([]))
        let request = try HTTPRequest.get()
        let begin = Gate()
        let task = Task {
            try? await begin.wait()
            return try await transport.send(request)
        }
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled && transport.base.requests.isEmpty)
    }

    @Test func `an invalid total timeout is rejected`() async throws {
        let transport = Queued(base: ScriptedTransport([]))
        for total in [Duration.zero, .seconds(-1), .seconds(Int64.max)] {
            let request = try HTTPRequest.get(total: total)
            await #expect(throws: HTTPMessageError.self) { try await transport.send(request) }
        }
        #expect(transport.queue.runningCount == 0)
    }

    @Test func `a full queue rejects or drops requests`() async throws {
        let limits = QueueLimits(maximumConcurrent: 1, capacity: 1, overflowPolicy: .dropOldest)
        try await occupied(limits) { transport, gate in
            let (first, low, second) = (
                try HTTPRequest.get("/1"), try HTTPRequest.get("/2", priority: .background), try HTTPRequest.get("/3")
            )
            let dropped = Task(executorPreference: executor) { try await transport.send(first) }
            try await executor.waitUntilIdle()
            #expect(transport.queue.waitingCount == 1)
            let full = await #expect(throws: AdmissionError.self) { try await transport.send(low) }
            #expect(full?.code == .queueFull && full?.request == "GET http://h/2")
            async let taken = transport.send(second)
            let error = await #expect(throws: AdmissionError.self) { try await dropped.value }
            #expect(error?.code == .dropped && error?.request == "GET http://h/1")
            gate.open()
            _ = try await taken
            #expect(transport.base.requests.map { $0.url.path() } == ["/first", "/3"])
        }
    }

    @Test func `transports with one queue share its limits`() async throws {
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 3, maximumConcurrentPerKey: 2))
        let (first, second) = (LoadMeter(), LoadMeter())
        let both = [Queued(base: first.transport, queue: queue), Queued(base: second.transport, queue: queue)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                let request = try HTTPRequest.get(host: "h\(number % 5)")
                group.addTask { _ = try await both[number % 2].send(request) }
            }
            try await group.waitForAll()
        }
        #expect(first.calls == 200 && second.calls == 200)
        #expect(first.most <= 3 && second.most <= 3 && first.mostOfOne <= 2 && second.mostOfOne <= 2)
        #expect(queue.runningCount == 0 && queue.waitingCount == 0)
    }

    // MARK: Many at once

    @Test(arguments: [UInt64(1), 2, 3]) func `random events end each call once`(seed: UInt64) async throws {
        let meter = LoadMeter()
        let queue = RequestQueue(
            limits: QueueLimits(maximumConcurrent: 6, maximumConcurrentPerKey: 2),
            aging: PriorityAging(interval: .milliseconds(1)))
        let transport = Queued(base: meter.transport, queue: queue)
        let ledger = CompletionLedger<HTTPResponse>()
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<16 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed * 100 + UInt64(lane))
                    func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &generator) }
                    for number in 0..<60 {
                        let call = ledger.call("\(lane) \(number)")
                        guard
                            let request = try? HTTPRequest.get(
                                host: "h\(roll(4))", priority: RequestPriority(level: roll(5)),
                                tag: roll(3) == 0 ? "t\(roll(3))" : nil, total: roll(5) == 0 ? .milliseconds(1) : nil)
                        else { continue }
                        let task = Task { await call.run { try await transport.send(request) } }
                        for _ in 0..<roll(4) { await Task.yield() }
                        switch roll(12) {
                        case 0: task.cancel()
                        case 1: queue.cancel(tag: "t\(roll(3))")
                        case 2: queue.pause()
                        case 3: queue.limits = QueueLimits(maximumConcurrent: roll(6) + 1, maximumConcurrentPerKey: 2)
                        case 4: _ = queue.snapshot
                        default: queue.resume()
                        }
                    }
                }
            }
        }
        queue.resume()
        try await ledger.waitForAll()
        try ledger.check()
        #expect(queue.runningCount == 0 && queue.waitingCount == 0 && meter.running == 0)
        #expect(meter.most <= 6 && meter.mostOfOne <= 2)
    }

    @Test func `blocked threads do not deadlock`() async throws {
        let meter = LoadMeter()
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 2))
        let transport = Queued(base: meter.transport, queue: queue)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<150 {
                let request = try HTTPRequest.get(tag: number.isMultiple(of: 3) ? "t" : nil, total: .seconds(86_400))
                group.addTask { try blocking { try await transport.send(request).status.code } }
            }
            for try await code in group { #expect(code == 200) }
        }
        #expect(meter.calls == 150 && meter.most <= 2)
    }
}
