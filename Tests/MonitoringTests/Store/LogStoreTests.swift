import Foundation
import HTTPMessages
import LocalStore
import PatchbayTestKit
import Queueing
import SQLiteStore
import StoreCore
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Monitoring

/// Behavior 12: calls in a local store.
@Suite(.needsSlot) struct LogStoreTests {
    /// Lets the sinks get what has happened before each request.
    private struct Flushing<Base: Transport>: Transport {
        let base: Base
        let monitor: EventMonitor

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            await monitor.flush()
            return try await base.send(request, observer: observer)
        }
    }

    private static func stores() throws -> [any LocalStore] { [MemoryStore(), try SQLiteStore(.memory)] }

    @Test func `a call is found by its parts, with its events and without secrets`() async throws {
        for store in try Self.stores() {
            let log = try LogStore(store)
            let monitor = EventMonitor([.store(log)])
            let transport = fake(503, 200).observingAttempts(by: monitor).retrying(.immediate).observing(by: monitor)
            let request = try HTTPRequest(
                .post, "http://patchbay.test/Items?token=abc", fields: HTTPFields(["Authorization": "Bearer abc"]),
                body: .text("{\"password\": \"abc\", \"name\": \"Ada\"}"))
            _ = try await transport.send(request)
            _ = try? await ScriptedTransport([.failure(.connectionLost)]).observing(by: monitor)
                .send(HTTPRequest(.get, "http://patchbay.test/lost"))
            await monitor.flush()
            #expect(log.failedCalls == 0 && log.lastFailure == nil)
            let all = try log.search()
            #expect(all.map(\.method) == ["GET", "POST"])
            let call = try #require(try log.search(LogQuery(text: "ADA", statuses: 200...299)).first)
            #expect(call.url == "http://patchbay.test/Items?token=<redacted>" && call.attempts == 2)
            #expect(call.requestBody == "{\"password\": <redacted>, \"name\": \"Ada\"}" && call.responseBody == "hello")
            #expect(call.requestFields == "Authorization: <redacted>" && call.receivedBytes == 5)
            let events = try log.events(of: call)
            #expect(events.first?.text == "created" && events.contains { $0.text.hasPrefix("retry") })
            #expect(events.last?.text.hasPrefix("ended: 200 OK") == true)
            #expect(try log.search(LogQuery(failedOnly: true)).map(\.url) == ["http://patchbay.test/lost"])
            #expect(try log.search(LogQuery(method: "PUT")).isEmpty && log.search(LogQuery(limit: 0)).isEmpty)
            #expect(try log.search(LogQuery(minimumDuration: .seconds(60))).isEmpty)
            #expect(try log.search(LogQuery(since: Date(timeIntervalSinceNow: 60))).isEmpty)
            try log.removeAll()
            #expect(try log.search().isEmpty)
        }
    }

    @Test func `a call of two stacks with the monitor has the fields that the inner one sends`() async throws {
        let log = try LogStore(MemoryStore())
        let monitor = EventMonitor([.store(log)])
        let inner = fake(200).observingAttempts(by: monitor).tracing().observing(by: monitor)
        let transport = Flushing(base: inner, monitor: monitor).observingAttempts(by: monitor).observing(by: monitor)
        _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/"))
        await monitor.flush()
        let calls = try log.search()
        #expect(calls.map(\.attempts) == [1] && calls.first?.requestFields.contains("traceparent: ") == true)
    }

    @Test func `old calls are deleted, with their events`() async throws {
        for store in try Self.stores() {
            let now = Mutex(Date(timeIntervalSince1970: 1_000_000))
            let log = try LogStore(
                store, retention: .init(age: .seconds(100)), date: { now.withLock(\.self) })
            let monitor = EventMonitor([.store(log)], date: { now.withLock(\.self) })
            let transport = fake(200).observing(by: monitor)
            _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/1"))
            await monitor.flush()
            now.withLock { $0 += 99 }
            _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/2"))
            await monitor.flush()
            #expect(try log.search().count == 2)
            now.withLock { $0 += 2 }
            _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/3"))
            await monitor.flush()
            #expect(try log.search().map(\.url) == ["http://patchbay.test/3", "http://patchbay.test/2"])
            #expect(try store.rows("SELECT DISTINCT sequence FROM call_log_event", []).count == 2)
        }
    }

    @Test func `a long call that is too old at its end takes no other call with it`() async throws {
        for store in try Self.stores() {
            let now = Mutex(Date(timeIntervalSince1970: 1_000_000))
            let log = try LogStore(
                store, retention: .init(age: .seconds(100)), date: { now.withLock(\.self) })
            let monitor = EventMonitor([.store(log)], date: { now.withLock(\.self) })
            let gate = Gate()
            let transport = ScriptedTransport([.after(gate, .status(.ok))], then: .status(.ok)).observing(by: monitor)
            let long = Task { try await transport.send(HTTPRequest(.get, "http://patchbay.test/1")) }
            try await gate.waitForWaiters(1)
            now.withLock { $0 += 150 }
            _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/2"))
            gate.open()
            _ = try await long.value
            await monitor.flush()
            _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/3"))
            await monitor.flush()
            #expect(try log.search().map(\.url) == ["http://patchbay.test/3", "http://patchbay.test/2"])
            #expect(try store.rows("SELECT DISTINCT sequence FROM call_log_event", []).count == 2)
        }
    }

    @Test func `calls that began before all were removed are not written at their end`() async throws {
        for store in try Self.stores() {
            let log = try LogStore(store)
            let monitor = EventMonitor([.store(log)])
            let gate = Gate()
            let transport = ScriptedTransport([.after(gate, .status(.ok))], then: .status(.ok)).observing(by: monitor)
            let inFlight = Task { try await transport.send(HTTPRequest(.get, "http://patchbay.test/ann/1")) }
            try await gate.waitForWaiters(1)
            // The events of this one may not have been delivered yet.
            _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/ann/2"))
            try log.removeAll()
            _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/bob"))
            gate.open()
            _ = try await inFlight.value
            await monitor.flush()
            #expect(try log.search().map(\.url) == ["http://patchbay.test/bob"])
            #expect(log.failedCalls == 0)
        }
    }

    @Test func `a request that begins after a removal is written, also one of an iteration from before`() async throws {
        let log = try LogStore(SQLiteStore(.memory))
        let monitor = EventMonitor([.store(log)])
        var request = try HTTPRequest(.get, "http://patchbay.test/page/2")
        request.options.beginCall()
        try log.removeAll()
        _ = try await fake(200).observing(by: monitor).send(request)
        await monitor.flush()
        #expect(try log.search().map(\.url) == ["http://patchbay.test/page/2"])
    }

    @Test func `further parts of a call from before a removal are not written`() async throws {
        let log = try LogStore(MemoryStore())
        let monitor = EventMonitor([.store(log)])
        let transport = fake(200).observing(by: monitor)
        var request = try HTTPRequest(.get, "http://patchbay.test/ann/file")
        request.options.beginCall()
        _ = try await transport.send(request)
        try log.removeAll()
        // Such as the rest of a download, or the next connection of an event stream.
        _ = try await transport.send(request)
        _ = try await fake(200).observingAttempts(by: monitor).send(request)
        _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/bob"))
        await monitor.flush()
        #expect(try log.search().map(\.url) == ["http://patchbay.test/bob"])
    }

    @Test func `the oldest calls beyond the size are deleted`() async throws {
        for store in try Self.stores() {
            let log = try LogStore(store, retention: .init(bytes: 5000))
            let monitor = EventMonitor([.store(log)])
            let transport = FakeTransport { $0.response(text: String(repeating: "x", count: 1000)) }
                .observing(by: monitor)
            for number in 0..<20 {
                _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/\(number)"))
                await monitor.flush()
            }
            let kept = try log.search().map(\.url)
            #expect(kept.first == "http://patchbay.test/19" && kept.count < 5 && !kept.isEmpty)
        }
    }

    @Test func `a write does not read the calls before it`() async throws {
        let traces = Mutex<[String]>([])
        var configuration = SQLiteStore.Configuration()
        configuration.trace = { trace in traces.withLock { $0.append(trace.sql) } }
        let store = try SQLiteStore(.memory, configuration: configuration)
        let log = try LogStore(store)
        let monitor = EventMonitor([.store(log)])
        let transport = fake(200).observing(by: monitor)
        for number in 0..<3 {
            _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/\(number)"))
            await monitor.flush()
        }
        traces.withLock { $0 = [] }
        _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/last"))
        await monitor.flush()
        let queries = traces.withLock { $0.filter { $0.hasPrefix("SELECT") } }
        #expect(!queries.isEmpty)
        for query in queries {
            let parameters = query.filter { $0 == "?" }.map { _ in StoreValue.null }
            let plan = try store.rows("EXPLAIN QUERY PLAN \(query)", parameters).map { "\($0)" }
            #expect(!plan.contains { $0.contains("SCAN") }, "\(query): \(plan)")
        }
    }

    @Test func `the size is that of all calls, also of those that another process writes`() async throws {
        for store in try Self.stores() {
            let logs = try (0..<2).map { _ in try LogStore(store, retention: .init(bytes: 20_000)) }
            let monitors = logs.map { EventMonitor([.store($0)]) }
            let base = FakeTransport { $0.response(text: String(repeating: "x", count: 1000)) }
            for number in 0..<60 {
                let monitor = monitors[number / 7 % 2]
                _ = try await base.observing(by: monitor).send(HTTPRequest(.get, "http://patchbay.test/\(number)"))
                await monitor.flush()
            }
            let sizes = try store.rows("SELECT sum(bytes), count(*) FROM call_log", []).first
            guard case .integer(let bytes)? = sizes?[0], case .integer(let count)? = sizes?[1] else {
                return #expect(Bool(false))
            }
            #expect(bytes <= 20_000 && bytes > 20_000 - 2 * bytes / count)
            try logs[0].removeAll()
            _ = try await base.observing(by: monitors[1]).send(HTTPRequest(.get, "http://patchbay.test/"))
            await monitors[1].flush()
            #expect(try logs[1].search().count == 1)
        }
    }

    @Test func `the size is that of all calls after another process has deleted some`() async throws {
        let store = try SQLiteStore(.memory)
        let (log, other) = (
            try LogStore(store, retention: .init(bytes: 20_000)), try LogStore(store, retention: .init(bytes: 5000))
        )
        let monitors = [log, other].map { EventMonitor([.store($0)]) }
        func send(_ count: Int, of bytes: Int, by monitor: EventMonitor) async throws {
            let transport = FakeTransport { $0.response(text: String(repeating: "x", count: bytes)) }
                .observing(by: monitor)
            for _ in 0..<count {
                _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/"))
                await monitor.flush()
            }
        }
        func size() throws -> Int64 {
            guard case .integer(let bytes)? = try store.rows("SELECT sum(bytes) FROM call_log", []).first?[0] else {
                return 0
            }
            return bytes
        }
        try await send(15, of: 1000, by: monitors[0])
        try other.trim()
        #expect(try size() <= 5000)
        try await send(60, of: 1000, by: monitors[0])
        #expect(try 15_000...20_000 ~= size())
        // The numbers begin again.
        try other.removeAll()
        try await send(5, of: 100, by: monitors[0])
        try other.removeAll()
        try await send(5, of: 900, by: monitors[1])
        try await send(20, of: 3000, by: monitors[0])
        #expect(try size() <= 20_000)
    }

    @Test func `a store that fails is counted, and the next calls are written`() async throws {
        let store = try SQLiteStore(.memory)
        let log = try LogStore(store)
        let monitor = EventMonitor([.store(log)])
        try store.execute("DROP TABLE call_log", [])
        _ = try await fake(200).observing(by: monitor).send(HTTPRequest(.get, "http://patchbay.test/"))
        await monitor.flush()
        #expect(log.failedCalls == 1 && log.lastFailure is StoreError)
    }
}
