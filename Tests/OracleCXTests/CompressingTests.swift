import Coordination
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import Synchronization
import SystemLibraries
import TestSupport
import Testing
import Transport

@testable import OracleCX

@Suite(.needsSlot) struct CompressingTests {
    private let transport = ScriptedTransport([], then: .status(.ok))

    private func request(_ change: (ORARequest) -> Void) throws -> HTTPRequest {
        let request = ORARequest(url: "http://oracle.test/")
        request.compression = true
        change(request)
        return try request.httpRequest()
    }

    private func sent(_ change: (ORARequest) -> Void) async throws -> HTTPRequest {
        _ = try await Compressing(base: transport).send(request(change))
        return try #require(transport.requests.last)
    }

    @Test func `Oracle 8: a compressed body is gzip, with Content-Encoding`() async throws {
        let payload = try await sent { $0.payload = ["name": "value"] }
        #expect(payload.fields[.contentEncoding] == "gzip" && payload.fields[.contentType] == "application/json")
        try await #expect(Inflater.inflate(payload.body.collect()) == Data(#"{"name":"value"}"#.utf8))
        let raw = try await sent { $0.requestBody = Data(repeating: 7, count: 100_000) }
        #expect(try #require(raw.body.length) < 1000)
        try await #expect(Inflater.inflate(raw.body.collect()) == Data(repeating: 7, count: 100_000))
    }

    @Test func `Oracle 8: no body, a GET and a request without compression stay as they are`() async throws {
        let bodyless = try await sent { _ in }
        #expect(bodyless.body.isEmpty && bodyless.fields.isEmpty)
        let get = try await sent {
            $0.requestType = GET
            $0.requestBody = Data("raw".utf8)
        }
        #expect(get.body.isEmpty && get.fields.isEmpty)
        let plain = try await sent {
            $0.compression = false
            $0.requestBody = Data("raw".utf8)
        }
        #expect(plain.body.length == 3 && plain.fields.isEmpty)
    }

    @Test(arguments: ["gzip", "GZip", "br"])
    func `Oracle 8: an app's own Content-Encoding tells what the body is`(own: String) async throws {
        let request = try await sent {
            $0.headers = ["content-encoding": own]
            $0.payload = ["name": "value"]
        }
        // The server decodes the last one first.
        #expect(request.fields[.contentEncoding] == (own == "br" ? "br, gzip" : own))
        try await #expect(Inflater.inflate(request.body.collect()) == Data(#"{"name":"value"}"#.utf8))
    }

    @Test func `a request keeps its place in the queue while its body is compressed`() async throws {
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrentPerKey: 1))
        let compressor = WorkerThreads(count: 1, name: "compressor")
        let held = DispatchSemaphore(value: 0)
        let stack = transport.oracleLayers(
            queue: queue,
            background: BackgroundController(queue: queue, settings: .empty, lifecycle: ORAManualLifecycle()),
            retry: .oracle(backoff: .oracle, maximumRetryAfter: .zero), clock: ContinuousClock(), executor: compressor)
        let submitter = ObservedExecutor()
        let requests = try (0..<4).map { number in
            try request {
                $0.requestTag = "\(number)"
                $0.requestBody = Data("raw".utf8)
                $0.compression = number % 2 == 0
            }
        }
        compressor.run { held.wait() }
        let tasks = requests.map { request in
            Task(executorPreference: submitter) { _ = try await stack.send(request) }
        }
        do {
            defer { held.signal() }
            try await submitter.waitUntilIdle()
            #expect(queue.runningCount == 1 && queue.waitingCount == 3)
        }
        for task in tasks { try await task.value }
        #expect(transport.requests.compactMap(\.options.tag) == ["0", "1", "2", "3"])
        #expect(transport.requests.map { $0.fields[.contentEncoding] != nil } == [true, false, true, false])
    }

    @Test func `a streamed request is compressed too`() async throws {
        let request = try request { $0.requestBody = Data("raw".utf8) }
        _ = try await Compressing(base: transport).stream(request)
        #expect(transport.requests.last?.fields[.contentEncoding] == "gzip")
    }
}
