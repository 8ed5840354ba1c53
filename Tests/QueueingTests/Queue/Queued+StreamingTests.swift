import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct QueuedStreamingTests {
    private let executor = ObservedExecutor()

    /// Two of ten bytes, then a stall or the given step.
    private static func partial(_ rest: ServerScript.Step = .stall) -> ServerScript {
        [.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n01"), rest]
    }

    /// A queue with one slot over the network. After the body, the slot must be free and the next request sent.
    private func withQueue(
        _ script: ServerScript, clock: some Clock<Duration> = ContinuousClock(),
        _ body: (Queued<URLSessionTransport>, LoopbackServer) async throws -> Void
    ) async throws {
        let next: ServerScript = [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")]
        try await LoopbackServer(script: { $0.target == "/next" ? next : script }).stopping(after: { server in
            let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
            let transport = Queued(base: URLSessionTransport(clock: clock), queue: queue)
            try await body(transport, server)
            let request = try HTTPRequest(.get, server.url(of: "/next"))
            #expect(try await transport.stream(request).collect().body == Data("next".utf8))
            #expect(queue.runningCount == 0 && queue.waitingCount == 0)
        })
    }

    private func request(
        _ server: LoopbackServer, tag: String?, total: Duration? = nil
    ) throws -> HTTPRequest {
        let options = RequestOptions {
            $0.timeouts.total = total
            $0.tag = tag
        }
        return try HTTPRequest(.get, server.url(of: "/"), options: options)
    }

    @Test(arguments: [nil, "t"]) func `the last byte frees the slot`(tag: String?) async throws {
        let script: ServerScript = [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789")]
        try await withQueue(script) { transport, server in
            let response = try await transport.stream(request(server, tag: tag))
            // The whole response has arrived unread.
            #expect(transport.queue.runningCount == 1)
            #expect(try await response.collect().body == Data("0123456789".utf8))
            #expect(transport.queue.runningCount == 0)
        }
    }

    @Test(arguments: [nil, "t"], [ServerScript.Step.close, .reset].indices)
    func `a failure of the body frees the slot`(tag: String?, way: Int) async throws {
        try await withQueue(Self.partial([ServerScript.Step.close, .reset][way])) { transport, server in
            let error = await #expect(throws: TransportError.self) {
                try await transport.stream(request(server, tag: tag)).collect()
            }
            #expect([.truncated, .connectionLost].contains(error?.code))
            #expect(transport.queue.runningCount == 0)
        }
    }

    @Test(arguments: [nil, "t"]) func `a stream that releases its slot at the head keeps no call waiting`(
        tag: String?
    ) async throws {
        try await withQueue(Self.partial()) { transport, server in
            var request = try request(server, tag: tag)
            request.options.releasesSlotAtHead = true
            let response = try await transport.stream(request)
            #expect(transport.queue.runningCount == 0)
            let next = try HTTPRequest(.get, server.url(of: "/next"))
            #expect(try await transport.send(next).body == Data("next".utf8))
            var chunks = response.body.makeAsyncIterator()
            #expect(try await chunks.next() == Data("01".utf8))
        }
    }

    @Test(arguments: [nil, "t"]) func `a failure before the head frees the slot`(tag: String?) async throws {
        try await withQueue([.close]) { transport, server in
            let error = await #expect(throws: TransportError.self) {
                try await transport.stream(request(server, tag: tag))
            }
            #expect(error?.code == .connectionLost && transport.queue.runningCount == 0)
        }
    }

    @Test(arguments: [nil, "t"], ["drop", "break", "throw", "cancel"])
    func `releasing a stream frees its slot`(tag: String?, way: String) async throws {
        try await withQueue(Self.partial()) { transport, server in
            let isReading = Gate()
            let request = try request(server, tag: tag)
            let reader = Task {
                var response: HTTPResponseStream? = try await transport.stream(request)
                #expect(transport.queue.runningCount == 1)
                switch way {
                case "drop": response = nil
                case "break": for try await _ in try #require(response).body { break }
                case "throw": for try await _ in try #require(response).body { throw CancellationError() }
                default: for try await _ in try #require(response).body { isReading.open() }
                }
                // The slot is free although the response is still retained.
                try await transport.queue.waitForFreeSlot()
                withExtendedLifetime(response) {}
            }
            if way == "cancel" {
                try await isReading.wait()
                reader.cancel()
            }
            switch (way, await reader.result) {
            case ("drop", .success), ("break", .success): break
            case ("throw", .failure(let error)): #expect(error is CancellationError)
            case ("cancel", .failure(let error as TransportError)): #expect(error.code == .cancelled)
            case (_, let result): Issue.record("\(result)")
            }
            try await server.waitForOpenConnections(0)
            try await transport.queue.waitForFreeSlot()
        }
    }

    @Test(arguments: ["head", "unread", "reading", "idle"]) func `cancelling a tag ends a stream at any time`(
        when: String
    ) async throws {
        let script: ServerScript = when == "head" ? [.stall] : Self.partial()
        try await withQueue(script) { transport, server in
            let request = try request(server, tag: "t")
            let (isThere, goesOn) = (Gate(), Gate())
            let reader = Task {
                let response = try await transport.stream(request)
                if when == "unread" {
                    isThere.open()
                    try await goesOn.wait()
                }
                var chunks = response.body.makeAsyncIterator()
                let first = try await chunks.next()
                isThere.open()
                if when == "idle" { try await goesOn.wait() }
                let rest = try await chunks.next()
                return (first, rest)
            }
            if when == "head" { try await server.requests(count: 1) } else { try await isThere.wait() }
            transport.queue.cancel(tag: "other")
            #expect(transport.queue.runningCount == 1)
            transport.queue.cancel(tag: "t")
            // Works without the help of the reader, which is busy.
            try await transport.queue.waitForFreeSlot()
            try await server.waitForOpenConnections(0)
            goesOn.open()
            let error = await #expect(throws: TransportError.self) { _ = try await reader.value }
            #expect(error?.code == .cancelled)
        }
    }

    @Test(arguments: [nil, "t"]) func `cancellation before the head frees the slot`(tag: String?) async throws {
        try await withQueue([.stall]) { transport, server in
            let request = try request(server, tag: tag)
            let call = Task { try await transport.stream(request) }
            try await server.requests(count: 1)
            call.cancel()
            let error = await #expect(throws: TransportError.self) { try await call.value }
            #expect(error?.code == .cancelled && transport.queue.runningCount == 0)
        }
    }

    @Test(arguments: [nil, "t"]) func `waiting requests start by priority when a stream ends`(tag: String?) async throws
    {
        let base = ScriptedTransport([], then: .text("body"))
        let transport = Queued(base: base, queue: RequestQueue(limits: QueueLimits(maximumConcurrent: 1)))
        let first = try await transport.stream(HTTPRequest.get("/first", tag: tag))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, priority) in [RequestPriority.background, .normal, .high].enumerated() {
                let request = try HTTPRequest.get("/\(number)", priority: priority, tag: tag)
                group.addTask(executorPreference: executor) { _ = try await transport.stream(request).collect() }
                try await executor.waitUntilIdle()
                #expect(transport.queue.waitingCount == number + 1)
            }
            _ = try await first.collect()
            try await group.waitForAll()
        }
        #expect(base.requests.map { $0.url.path() } == ["/first", "/2", "/1", "/0"])
        #expect(transport.queue.runningCount == 0)
    }

    @Test(arguments: [nil, "t"]) func `the total timeout applies in the queue and in the body`(tag: String?)
        async throws
    {
        let clock = ManualClock()
        try await withQueue(Self.partial(), clock: clock) { transport, server in
            let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1), clock: clock)
            let timed = Queued(base: transport.base, queue: queue)
            queue.pause()
            let (lost, kept) = (
                try request(server, tag: tag, total: .seconds(5)), try request(server, tag: tag, total: .seconds(9))
            )
            let waiting = Task(executorPreference: executor) { try await timed.stream(lost) }
            let running = Task(executorPreference: executor) { try await timed.stream(kept).collect() }
            try await executor.waitUntilIdle()
            #expect(queue.waitingCount == 2)
            try await clock.wait { $0.first?.offset == .seconds(5) }
            await clock.advance(by: .seconds(5))
            let expired = await #expect(throws: AdmissionError.self) { try await waiting.value }
            #expect(expired?.code == .expired && server.requestCount == 0)
            queue.resume()
            try await server.requests(count: 1)
            try await clock.wait { $0.first?.offset == .seconds(9) }
            await clock.advance(by: .seconds(4))
            let error = await #expect(throws: TransportError.self) { try await running.value }
            #expect(error?.code == .timedOut && error?.phase == .total && queue.runningCount == 0)
        }
    }

    @Test func `the queue drains when its streams are released`() async throws {
        let transport = Queued(base: ScriptedTransport([], then: .text("body")))
        var streams = [
            try await transport.stream(HTTPRequest.get()), try await transport.stream(HTTPRequest.get(tag: "t")),
        ]
        let drained = Task(executorPreference: executor) { try await transport.queue.drain() }
        try await executor.waitUntilIdle()
        #expect(transport.queue.snapshot.isDraining && transport.queue.runningCount == 2)
        streams = []
        try await drained.value
        #expect(transport.queue.runningCount == 0 && streams.isEmpty)
    }

    // MARK: Many at once

    /// Streams that end in all ways at once; afterwards each slot must be free, and freed only once.
    @Test(arguments: [UInt64(1), 2, 3]) func `random endings of streams free every slot`(seed: UInt64) async throws {
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 5, maximumConcurrentPerKey: 2))
        let base = FakeTransport { request in
            for _ in 0..<2 { await Task.yield() }
            return request.response(body: Data(repeating: 1, count: 100_000))
        }
        let transport = Queued(base: base, queue: queue)
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<16 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed * 100 + UInt64(lane))
                    func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &generator) }
                    var readers: [Task<Void, any Error>] = []
                    for _ in 0..<50 {
                        let tag = roll(2) == 0 ? "t\(roll(3))" : nil
                        guard let request = try? HTTPRequest.get(host: "h\(roll(4))", tag: tag) else { continue }
                        let wanted = roll(10)
                        let reader = Task {
                            let response = try await transport.stream(request)
                            var count = 0
                            // Bodies have seven chunks: some are read to the end, some not at all.
                            guard wanted > 0 else { return }
                            for try await _ in response.body {
                                count += 1
                                if count == wanted { break }
                                await Task.yield()
                            }
                        }
                        readers.append(reader)
                        for _ in 0..<roll(8) { await Task.yield() }
                        switch roll(8) {
                        case 0: reader.cancel()
                        case 1: queue.cancel(tag: "t\(roll(3))")
                        case 2: queue.cancelAll()
                        default: _ = await reader.result
                        }
                    }
                    for reader in readers { _ = await reader.result }
                }
            }
        }
        #expect(queue.waitingCount == 0)
        // Each of these waits until the last stream with its slot has freed it. Then the number of running requests is
        // at the limit.
        var streams: [HTTPResponseStream] = []
        for number in 0..<5 { streams.append(try await transport.stream(HTTPRequest.get(host: "h\(number)"))) }
        let next = try HTTPRequest.get(host: "i")
        let waiting = Task(executorPreference: executor) { try await transport.stream(next).collect() }
        try await executor.waitUntilIdle()
        #expect(queue.waitingCount == 1 && queue.runningCount == 5)
        streams = []
        _ = try await waiting.value
        #expect(queue.runningCount == 0 && streams.isEmpty)
    }

    @Test func `blocked threads that read streams do not deadlock`() async throws {
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 2))
        let transport = Queued(base: FakeTransport { $0.response(text: "body") }, queue: queue)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                let request = try HTTPRequest.get(tag: number.isMultiple(of: 2) ? "t" : nil)
                group.addTask { try blocking { try await transport.stream(request).collect().body.count } }
            }
            for try await count in group { #expect(count == 4) }
        }
        #expect(queue.runningCount == 0)
    }

    @Test func `a stream that the queue can cancel runs on threads of the package`() async throws {
        let base = AnyTransport(FakeTransport { $0.response(body: Data(threadName().utf8)) })
        let transport = Queued(base: base, queue: RequestQueue())
        let options = RequestOptions { $0.tag = "t" }
        let request = try HTTPRequest(.get, "http://example.com/", options: options)
        #expect(try await transport.stream(request).collect().body == Data("patchbay.calls".utf8))
    }
}
