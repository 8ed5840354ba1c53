import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Monitoring

/// Behavior 2: sinks, buffers, and what is dropped.
@Suite(.needsSlot) struct EventMonitorTests {
    private let request: HTTPRequest

    init() throws { request = try HTTPRequest(.get, "http://patchbay.test/") }

    @Test func `a sink that blocks delays no call, and calls beyond the limit are counted`() async throws {
        let sink = BlockedSink()
        let monitor = EventMonitor([EventSink(sink)], limits: .init(calls: 10))
        let transport = fake(200).observingAttempts(by: monitor).observing(by: monitor)
        for _ in 0..<25 { _ = try await transport.send(request) }
        #expect(monitor.droppedCalls == 15)
        sink.goOn()
        await monitor.flush()
        // Of ten calls: created, attempt, head, body, the end of the attempt, ended. The others have no events at all.
        #expect(sink.received == 60)
        _ = try await transport.send(request)
        await monitor.flush()
        #expect(sink.received == 66 && monitor.droppedCalls == 15)
    }

    /// Runs each job on the thread that enqueues it.
    private final class InlineExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    @Test func `after a flush, the delivered calls no longer count`() async throws {
        let sink = BlockedSink()
        let monitor = EventMonitor([EventSink(sink)], limits: .init(calls: 2))
        let transport = fake(200).observing(by: monitor)
        let request = request
        _ = try await transport.send(request)
        try await sink.arrived.wait()
        _ = try await transport.send(request)
        // Goes on in the thread of the monitor, before that does.
        let dropped = Task(executorPreference: InlineExecutor()) {
            await monitor.flush()
            for _ in 0..<2 { _ = try await transport.send(request) }
            return monitor.droppedCalls
        }
        sink.goOn()
        #expect(try await dropped.value == 0)
    }

    @Test func `a flush waits for a call that has events again and is not listed yet`() async throws {
        let events = CollectedEvents()
        let monitor = EventMonitor([EventSink(events)])
        let recorder = monitor.begin(request, of: OpenCall(lastSignOut: 0))
        await monitor.flush()
        // A thread that records is stopped here; what others add to the call is listed by that thread.
        monitor.willList()
        let isFlushed = Mutex(false)
        // Runs to its wait at once, and ends in the thread of the monitor.
        let flush = Task(executorPreference: InlineExecutor()) {
            await monitor.flush()
            isFlushed.withLock { $0 = true }
        }
        for count in 1...2 {
            _ = try await fake(200).observing(by: monitor).send(request)
            try await eventually("another call is delivered") { events.ends.count == count }
        }
        let wasFlushed = isFlushed.withLock(\.self)
        #expect(!wasFlushed)
        monitor.list(recorder)
        await flush.value
    }

    @Test(arguments: [0, 2, 1000])
    func `delivered calls are released, with or without others after them`(others: Int) async throws {
        final class Calls: EventReceiver {
            struct Reference: Sendable { weak let call: ObservedCall? }
            let references = Mutex<[Reference]>([])
            var alive: Int { references.withLock { $0.count { $0.call != nil } } }
            func receive(_ event: CallEvent) {
                if case .created = event.kind { references.withLock { $0.append(Reference(call: event.call)) } }
            }
        }
        let calls = Calls()
        let monitor = EventMonitor([EventSink(calls)])
        let transport = fake(200).observing(by: monitor)
        for _ in 0..<1000 { _ = try await transport.send(request) }
        await monitor.flush()
        for _ in 0..<others { _ = try await transport.send(request) }
        await monitor.flush()
        // The monitor's thread announces no pause.
        try await eventually("the calls are released") { calls.alive == 0 }
        #expect(calls.references.withLock(\.count) == 1000 + others)
    }

    @Test func `events beyond the buffer of a call are dropped and counted, its end is not`() async throws {
        let (blocked, events) = (BlockedSink(), CollectedEvents())
        let monitor = EventMonitor([EventSink(blocked), EventSink(events)], limits: .init(eventsPerCall: 4))
        let statuses = Array(repeating: 302, count: 8) + [200]
        let script = StatusScript(statuses)
        let transport = FakeTransport { request in
            let status = script.next()
            var response = HTTPResponse(status: HTTPStatus(status) ?? .ok, url: request.url)
            if status == 302 { try response.head.fields.set(.location, to: "/\(UUID().uuidString)") }
            return response
        }.redirecting().observing(by: monitor)
        // The buffer of this call is being delivered while the sink is blocked.
        _ = try await transport.send(request)
        try await blocked.arrived.wait()
        _ = try await transport.send(request)
        blocked.goOn()
        await monitor.flush()
        events.expectWholeCalls()
        let last = try #require(events.ends.last)
        #expect(last.droppedEvents == 0)
        #expect(monitor.droppedEvents == events.ends.map(\.droppedEvents).reduce(0, +))
    }

    @Test func `each sink gets all events, and flush comes after those of one delivery`() async throws {
        final class Flushed: EventReceiver {
            let log = Mutex<[String]>([])
            func receive(_ event: CallEvent) { log.withLock { $0.append(event.word) } }
            func flush() { log.withLock { $0.append("flush") } }
        }
        let (first, second) = (Flushed(), CollectedEvents())
        let monitor = EventMonitor([EventSink(first), EventSink(second)])
        _ = try await fake(200).observing(by: monitor).send(request)
        await monitor.flush()
        let log = first.log.withLock(\.self)
        #expect(log.last == "flush" && log.filter { $0 != "flush" } == second.words)
        await monitor.flush()
        #expect(first.log.withLock(\.count) == log.count)
    }

    @Test func `many calls at once each have whole events`() async throws {
        let events = CollectedEvents()
        let monitor = EventMonitor([EventSink(events)])
        let transport = fake(200).observingAttempts(by: monitor).retrying(.immediate).observing(by: monitor)
        let request = request
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    if number % 3 == 0 {
                        _ = try await transport.stream(request).body.collect()
                    } else if number % 3 == 1 {
                        _ = try await transport.stream(request)
                    } else {
                        _ = try await transport.send(request)
                    }
                }
            }
            try await group.waitForAll()
        }
        await monitor.flush()
        events.expectWholeCalls()
        #expect(Set(events.all.map(\.call.id)).count == 200 && events.ends.count == 200)
        #expect(monitor.droppedCalls == 0 && monitor.droppedEvents == 0)
    }
}
