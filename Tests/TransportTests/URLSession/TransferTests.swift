import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct TransferTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
    private let clock = ManualClock()

    private func moment(_ seconds: Double) -> ManualClock.Instant { .init(offset: .seconds(seconds)) }

    /// Advances the clock to just before a deadline, checks that nothing happens, then to the deadline.
    private func expectEnd<Value: Sendable>(
        at seconds: Double, of task: Task<Value, any Error>, isRunning: () -> Bool
    ) async throws -> TransportError {
        try await clock.wait { $0.first == moment(seconds) }
        await clock.advance(to: moment(seconds - 0.001))
        #expect(isRunning())
        await clock.advance(to: moment(seconds))
        return try await transportError { try await task.value }
    }

    private func withStall(
        _ script: ServerScript, _ timeouts: Timeouts, body: HTTPBody = .empty,
        _ act: (LoopbackServer, Task<HTTPResponse, any Error>, EventLog) async throws -> Void
    ) async throws {
        try await LoopbackServer(script: { _ in script }).stopping(after: { server in
            let transport = URLSessionTransport(clock: clock)
            let request = try server.request(body.isEmpty ? .get : .post, body: body, timeouts: timeouts)
            let log = EventLog()
            try await act(server, Task { try await transport.send(request, observer: log) }, log)
        })
    }

    @Test func `the response timeout expires`() async throws {
        try await withStall([.stall], Timeouts(response: .seconds(5), idle: .seconds(1), total: .seconds(60))) {
            server, task, log in
            try await server.requests(count: 1)
            let error = try await expectEnd(at: 5, of: task) { log.events.isEmpty }
            #expect(error.code == .timedOut && error.phase == .response && error.head == nil)
        }
    }

    @Test func `the total timeout expires`() async throws {
        let script: ServerScript = [.send(Self.head + "12345"), .stall]
        try await withStall(script, Timeouts(total: .seconds(2))) { server, task, log in
            try await log.wait { $0.last == .receivedBytes(5, total: 10) }
            let error = try await expectEnd(at: 2, of: task) { true }
            #expect(error.code == .timedOut && error.phase == .total && error.bodyPrefix == Data("12345".utf8))
        }
    }

    @Test func `the idle timeout expires; bytes extend it`() async throws {
        let gates = [Gate(), Gate()]
        let script: ServerScript = [
            .send(Self.head), .wait(for: gates[0]), .send("123"), .wait(for: gates[1]), .send("456"), .stall,
        ]
        try await withStall(script, Timeouts(response: .seconds(60), idle: .seconds(5))) { server, task, log in
            try await log.wait { $0.count == 1 }
            try await clock.wait { $0.first == moment(5) }
            await clock.advance(to: moment(4))
            gates[0].open()
            try await log.wait { $0.last == .receivedBytes(3, total: 10) }
            // The timer at 5 is too early now and sets the one at 9.
            await clock.advance(to: moment(6))
            try await clock.wait { $0.first == moment(9) }
            gates[1].open()
            try await log.wait { $0.last == .receivedBytes(6, total: 10) }
            await clock.advance(to: moment(9))
            let error = try await expectEnd(at: 11, of: task) { true }
            #expect(error.code == .timedOut && error.phase == .idle && error.bodyPrefix == Data("123456".utf8))
        }
    }

    @Test func `sending a body extends the response timeout`() async throws {
        let read = Gate()
        // More than the socket buffers hold (a few megabytes), so sending waits until the server reads.
        let body = HTTPBody.bytes(Data(count: 32 << 20))
        let server = try LoopbackServer(connections: { connection in
            try await read.wait()
            var count = 0
            while count < 24 << 20, let bytes = try connection.receive() { count += bytes.count }
            connection.stall()
        })
        try await server.stopping(after: { server in
            let transport = URLSessionTransport(clock: clock)
            let request = try server.request(.post, body: body, timeouts: Timeouts(response: .seconds(5)))
            let log = EventLog()
            let task = Task { try await transport.send(request, observer: log) }
            try await read.waitForWaiters(1)
            try await log.wait { !$0.isEmpty }
            try await clock.wait { $0.first == moment(5) }
            await clock.advance(to: moment(4))
            read.open()
            // Events may arrive late; these bytes can only have been sent at 4.
            try await log.wait { events in
                if case .sentBytes(let count, _) = events.last { count >= 20 << 20 } else { false }
            }
            await clock.advance(to: moment(5))
            // Bytes were sent at 4, and possibly again at 5.
            try await clock.wait { [moment(9), moment(10)].contains($0.first) }
            task.cancel()
            #expect(try await transportError { try await task.value }.code == .cancelled)
        })
    }

    @Test func `waiting for a slot counts only for the total timeout`() async throws {
        let gate = Gate()
        try await LoopbackServer(script: { _ in [.wait(for: gate), .respond(with: echo)] }).stopping(after: { server in
            let transport = URLSessionTransport(configuration: .init(maximumConnectionsPerOrigin: 1), clock: clock)
            let first = Task { [request = try server.request(timeouts: Timeouts(response: nil, idle: nil))] in
                try await transport.send(request)
            }
            try await server.requests(count: 1)
            let waiting = [
                Timeouts(response: .seconds(1), idle: .seconds(1)),
                Timeouts(response: .seconds(1), total: .seconds(30)),
            ]
            let tasks = try waiting.map { timeouts in
                Task { [request = try server.request(timeouts: timeouts)] in try await transport.send(request) }
            }
            let error = try await expectEnd(at: 30, of: tasks[1]) { server.requestCount == 1 }
            #expect(error.phase == .total)
            gate.open()
            #expect(try await first.value.status == .ok)
            #expect(try await tasks[0].value.status == .ok)
            #expect(server.requestCount == 2)
        })
    }

    private static let stages = ["before", "waiting for a slot", "collecting the body", "stalled", "within the body"]

    @Test(arguments: stages)
    func `cancelling ends a request at once, in every stage`(stage: String) async throws {
        // The server stalls and the clock is manual, so only the cancellation can end the request.
        let script: ServerScript = stage == "within the body" ? [.send(Self.head + "12345"), .stall] : [.stall]
        try await LoopbackServer(script: { _ in script }).stopping(after: { server in
            let transport = URLSessionTransport(configuration: .init(maximumConnectionsPerOrigin: 1), clock: clock)
            let log = EventLog()
            let started = Gate()
            let stream = AsyncStream<Data>(unfolding: {
                try? await started.wait()
                return nil
            })
            let isCollecting = stage == "collecting the body"
            let request = try server.request(isCollecting ? .post : .get, body: isCollecting ? .stream(stream) : .empty)
            let other = stage == "waiting for a slot" ? Task { try await transport.send(request) } : nil
            if other != nil { try await server.requests(count: 1) }
            let once = ExactlyOnce<HTTPResponse>()
            let begin = Gate(isOpen: stage != "before")
            // Outside the cooperative pool, which other tests block on purpose.
            let task = Task(executorPreference: WorkerThreads(count: 1, name: "caller")) {
                try? await begin.wait()
                await once.run { try await transport.send(request, observer: log) }
            }
            switch stage {
            case "before": break
            case "waiting for a slot": for _ in 0..<100 { await Task.yield() }
            case "collecting the body": try await started.waitForWaiters(1)
            case "stalled": try await server.requests(count: 1)
            default: try await log.wait { $0.last == .receivedBytes(5, total: 10) }
            }
            task.cancel()
            await task.value
            guard case .cancellation = try await once.outcome else {
                throw TransportError(.unknown, "\(once.outcomes)")
            }
            other?.cancel()
            _ = await other?.result
            // The slot is released, and the request does not complete again.
            try await server.waitForOpenConnections(0)
            try once.check()
        })
    }

    @Test(arguments: ["read", "cancel", "total timeout", "idle timeout", "last byte"])
    func `a transfer whose reader lags is suspended without an idle timeout, and ends in every way`(end: String)
        async throws
    {
        let timers = TimerQueue(AnyMonotonicClock(clock))
        let pipe = ResponseBodyPipe(ResponseBodyLimits(for: .cfNetwork, memoryLimit: 10))
        let options = RequestOptions(timeouts: Timeouts(response: nil, idle: .seconds(5), total: .seconds(60)))
        let transfer = Transfer(
            try HTTPRequest(.get, "http://a/", options: options), timers: timers,
            writer: SpillingWriter(pipe: pipe, directory: .temporaryDirectory))
        let queue = DispatchQueue(label: "test")
        let calls = Mutex<[Bool]>([])
        let cancelled = Gate()
        func log() -> [Bool] { queue.sync { calls.withLock(\.self) } }
        let head = HTTPResponseHead(status: .ok, url: echoURL)
        transfer.slotAcquired {}
        transfer.controlFlow(on: queue) { isSuspended in calls.withLock { $0.append(isSuspended) } }
        _ = transfer.engineStarted { cancelled.open() }
        transfer.headReceived(head, expected: end == "last byte" ? 20 : nil)
        _ = try await transfer.outcome()
        transfer.bodyReceived(bytes(10))
        #expect(log() == [true])
        // Longer than the idle timeout.
        try await clock.wait { $0.first == moment(5) }
        await clock.advance(to: moment(30))
        #expect(!transfer.isFinished)
        switch end {
        case "cancel":
            transfer.cancel()
            #expect(try await pipe.next() == [bytes(10)])
            #expect(try await transportError { try await pipe.next() }.code == .cancelled)
        case "total timeout":
            try await clock.wait { $0.first == moment(60) }
            await clock.advance(to: moment(60))
            try await cancelled.wait()
            #expect(transfer.isFinished)
            #expect(try await pipe.next() == [bytes(10)])
            #expect(try await transportError { try await pipe.next() }.phase == .total)
        case "last byte":
            // The task must be resumed to complete, although nothing is read.
            transfer.bodyReceived(bytes(10))
            #expect(transfer.isFinished && log() == [true, false])
            while try await pipe.next() != nil {}
        default:
            #expect(try await pipe.next() == [bytes(10)])
            #expect(log() == [true, false])
            if end == "idle timeout" {
                try await clock.wait { $0.first == moment(35) }
                await clock.advance(to: moment(35))
                #expect(try await transportError { try await pipe.next() }.phase == .idle)
            } else {
                transfer.completed()
                #expect(try await pipe.next() == nil)
            }
        }
        let isCancelled = !["read", "last byte"].contains(end)
        if isCancelled { try await cancelled.wait() }
        #expect(transfer.isFinished && log() == [true, false] && cancelled.isOpen == isCancelled)
    }

    @Test func `a timer that is older than the last byte drops no events, and the deadline does`() async throws {
        let timers = TimerQueue(AnyMonotonicClock(clock))
        let threads = WorkerThreads(count: 1, name: "test")
        let free = DispatchSemaphore(value: 0)
        defer { free.signal() }
        threads.run { free.wait() }
        func started(_ log: EventLog) async throws -> (Transfer, Task<HTTPResponse, any Error>) {
            let options = RequestOptions(timeouts: Timeouts(response: nil, idle: .seconds(30)))
            let transfer = Transfer(
                try HTTPRequest(.get, "http://a/", options: options),
                relay: ObserverRelay(log, on: threads, clock: AnyMonotonicClock(ManualClock())), timers: timers)
            let head = HTTPResponseHead(status: .ok, url: echoURL)
            let hasHead = Gate()
            let call = Task {
                transfer.slotAcquired {}
                _ = transfer.engineStarted {}
                transfer.headReceived(head, expected: 2)
                hasHead.open()
                return try await transfer.outcome()
            }
            try await hasHead.wait()
            return (transfer, call)
        }
        let (late, onTime) = (EventLog(), EventLog())
        let (first, firstCall) = try await started(late)
        try await clock.wait { $0.first == moment(30) }
        await clock.advance(to: moment(20))
        first.bodyReceived(bytes(2))
        #expect(first.isFinished)
        // The timer of the head fires, and is set again for the last byte.
        await clock.advance(to: moment(30))
        try await clock.wait { $0.first == moment(50) }
        let (second, secondCall) = try await started(onTime)
        // The observer of the first call is late; that of the second one is not.
        await clock.advance(to: moment(50))
        _ = try await firstCall.value
        #expect(late.events == [])
        try await clock.wait { $0.first == moment(60) }
        second.bodyReceived(bytes(2))
        await clock.advance(to: moment(60))
        try await clock.wait { $0.first == moment(80) }
        free.signal()
        _ = try await secondCall.value
        #expect(onTime.events.last == .receivedBytes(2, total: 2))
    }

    @Test func `cancelling after the end has no effect`() async throws {
        try await withServer { server, transport in
            let task = Task { [request = try server.request(.post, body: .text("x"))] in
                try await transport.send(request)
            }
            let response = try await task.value
            task.cancel()
            #expect(response.body == Data("x".utf8))
        }
    }

    @Test(arguments: [1, 70_000, 3 << 20]) func `progress is exact and in order`(size: Int) async throws {
        try await withServer { server, transport in
            for body in [HTTPBody.bytes(bytes(size)), .stream(stream([bytes(size)]))] {
                let log = EventLog()
                let response = try await transport.send(server.request(.post, body: body), observer: log)
                let events = log.events
                let sent = events.compactMap { if case .sentBytes(let count, _) = $0 { count } else { nil } }
                let received = events.compactMap { if case .receivedBytes(let count, _) = $0 { count } else { nil } }
                #expect(sent == sent.sorted() && sent.last == Int64(size))
                #expect(received == received.sorted() && received.last == Int64(size))
                let kinds = events.map { event in
                    switch event {
                    case .sentBytes: 0
                    case .head: 1
                    case .receivedBytes: 2
                    case .layer: 3
                    }
                }
                #expect(kinds == kinds.sorted() && kinds.count { $0 == 1 } == 1)
                #expect(events.contains(.head(response.head)) && response.body.count == size)
                for _ in 0..<100 { await Task.yield() }
                #expect(log.events == events)
            }
        }
    }

    @Test func `a slow observer does not delay other requests`() async throws {
        struct Slow: TransferObserver {
            let entered: Gate
            let leave: DispatchSemaphore
            func transfer(didEmit event: TransferEvent) {
                guard !entered.isOpen else { return }
                entered.open()
                leave.wait()
            }
        }
        try await LoopbackServer.serving(echo) { server in
            let transport = URLSessionTransport(
                configuration: .init(maximumConnectionsPerOrigin: 2, sessionCount: 1), clock: ManualClock())
            let slow = Slow(entered: Gate(), leave: DispatchSemaphore(value: 0))
            let held = Task { [request = try server.request(.post, body: .text("held"))] in
                try await transport.send(request, observer: slow)
            }
            try await slow.entered.wait()
            for _ in 0..<20 {
                let log = EventLog()
                let response = try await transport.send(server.request(.post, body: .text("free")), observer: log)
                #expect(response.body == Data("free".utf8) && log.events.last == .receivedBytes(4, total: 4))
            }
            slow.leave.signal()
            #expect(try await held.value.body == Data("held".utf8))
        }
    }
}
