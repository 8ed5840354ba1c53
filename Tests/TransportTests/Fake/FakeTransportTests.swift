import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct FakeTransportTests {
    private let transport = FakeTransport { request in
        request.response(body: try await request.body.collect())
    }

    @Test func `sends responses and events as over a network`() async throws {
        let log = EventLog()
        let request = try HTTPRequest(.post, "http://host/", body: .text("abc"))
        let response = try await transport.send(request, observer: log)
        #expect(response.body == Data("abc".utf8))
        #expect(log.events == [.sentBytes(3, total: 3), .head(response.head), .receivedBytes(3, total: 3)])
        let quiet = EventLog()
        let empty = try await transport.send(HTTPRequest(.get, "http://host/"), observer: quiet)
        #expect(quiet.events == [.head(empty.head)])
    }

    @Test func `streams responses of any size`() async throws {
        let log = EventLog()
        let body = bytes(100_000)
        let request = try HTTPRequest(
            .post, "http://host/", body: .bytes(body), options: RequestOptions(maximumResponseBytes: 1))
        let response = try await transport.stream(request, observer: log)
        #expect(log.events == [.sentBytes(100_000, total: 100_000), .head(response.head)])
        var count = 0
        var all = Data()
        for try await chunk in response.body {
            count += 1
            all += chunk
        }
        #expect(all == body && count > 1 && log.events.last == .receivedBytes(100_000, total: 100_000))
        await #expect(throws: HTTPMessageError.self) { for try await _ in response.body {} }
    }

    @Test func `rethrows the closure's errors`() async throws {
        let failing = FakeTransport { _ in throw URLError(.badURL) }
        await #expect(throws: URLError.self) { try await failing.send(HTTPRequest(.get, "http://host/")) }
    }

    @Test func `enforces the size limit and validates timeouts`() async throws {
        var options = RequestOptions(maximumResponseBytes: 2)
        let log = EventLog()
        let large = try HTTPRequest(.post, "http://host/", body: .text("abc"), options: options)
        let error = try await transportError { try await transport.send(large, observer: log) }
        #expect(error.code == .responseTooLarge && error.head?.status == .ok && log.events.isEmpty)
        options.timeouts.total = .zero
        let invalid = try HTTPRequest(.get, "http://host/", options: options)
        await #expect(throws: HTTPMessageError.self) { try await transport.send(invalid) }
    }

    @Test(arguments: [true, false]) func `a cancelled call throws cancelled`(heeds: Bool) async throws {
        let asked = Gate()
        let gate = Gate()
        let transport = FakeTransport { request in
            asked.open()
            do { try await gate.wait() } catch { if heeds { throw error } }
            return request.response()
        }
        let task = Task { try await transport.send(HTTPRequest(.get, "http://host/")) }
        try await asked.wait()
        task.cancel()
        #expect(try await transportError { try await task.value }.code == .cancelled)
    }

    @Test func `a call in a cancelled task does not run the closure`() async throws {
        let transport = FakeTransport { request in
            Issue.record("It was asked.")
            return request.response()
        }
        let gate = Gate()
        let task = Task {
            try? await gate.wait()
            return try await transport.send(HTTPRequest(.get, "http://host/"))
        }
        task.cancel()
        #expect(try await transportError { try await task.value }.code == .cancelled)
    }
}
