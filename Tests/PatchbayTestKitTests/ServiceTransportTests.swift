import Foundation
import HTTPMessages
import TestSupport
import Testing
import Transport

@testable import PatchbayTestKit

@Suite(.needsSlot) struct ServiceTransportTests {
    private let echo = ServiceTransport { request in request.response(body: try await request.body.collect()) }

    @Test func `calls the service and reports events in both directions`() async throws {
        let log = EventRecorder()
        let request = try HTTPRequest(.post, "http://a/", body: .text("hello"))
        let response = try await echo.send(request, observer: log)
        #expect(response.body == Data("hello".utf8))
        #expect(log.events == [.sentBytes(5, total: 5), .head(response.head), .receivedBytes(5, total: 5)])
    }

    @Test func `streams a body in chunks`() async throws {
        let log = EventRecorder()
        let body = Data(repeating: 7, count: 50_000)
        let request = try HTTPRequest(
            .post, "http://a/", body: .bytes(body), options: RequestOptions(maximumResponseBytes: 1))
        let response = try await echo.stream(request, observer: log)
        #expect(log.events == [.sentBytes(50_000, total: 50_000), .head(response.head)])
        #expect(try await response.collect().body == body)
        #expect(log.events.count > 3 && log.events.last == .receivedBytes(50_000, total: 50_000))
    }

    @Test func `reports no byte counts without bodies`() async throws {
        let log = EventRecorder()
        let response = try await echo.send(HTTPRequest(.get, "http://a/"), observer: log)
        #expect(log.events == [.head(response.head)])
    }

    @Test func `reads a streamed request body once`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        for piece in ["a", "b", "c"] { continuation.yield(Data(piece.utf8)) }
        continuation.finish()
        let log = EventRecorder()
        let request = try HTTPRequest(.put, "http://a/", body: .stream(stream))
        #expect(try await echo.send(request, observer: log).body == Data("abc".utf8))
        #expect(log.events.first == .sentBytes(3, total: nil))
        await expectFailure(.unreadableBody) { try await echo.send(request) }
    }

    @Test(arguments: [true, false])
    func `ends at once when cancelled, even if the service ignores cancellation`(heeds: Bool) async throws {
        let (gate, entered, log) = (Gate(), Gate(), EventRecorder())
        let transport = ServiceTransport { request in
            entered.open()
            if heeds {
                try await gate.wait()
            } else {
                await Task { try? await gate.wait() }.value
            }
            return request.response()
        }
        let request = try HTTPRequest(.get, "http://a/")
        let call = Task { try await transport.send(request, observer: log) }
        try await entered.wait()
        call.cancel()
        await expectFailure(.cancelled) { try await call.value }
        gate.open()
        #expect(log.events.isEmpty)
    }

    @Test func `does not call the service in a cancelled task`() async throws {
        let asked = Gate()
        let transport = ServiceTransport { request in
            asked.open()
            return request.response()
        }
        let request = try HTTPRequest(.get, "http://a/")
        let call = Task {
            try? await Gate().wait()
            return try await transport.send(request)
        }
        call.cancel()
        await expectFailure(.cancelled) { try await call.value }
        #expect(!asked.isOpen)
    }

    @Test func `abandons an endless body when cancelled`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data("a".utf8))
        let request = try HTTPRequest(.put, "http://a/", body: .stream(stream))
        let call = Task { try await echo.send(request) }
        call.cancel()
        await expectFailure(.cancelled) { try await call.value }
        continuation.finish()
    }

    @Test func `refuses a response larger than the request allows`() async throws {
        var request = try HTTPRequest(.put, "http://a/", body: .text("12345"))
        request.options.maximumResponseBytes = 4
        let error = await #expect(throws: TransportError.self) { try await echo.send(request) }
        #expect(error?.code == .responseTooLarge && error?.head?.status == .ok)
        request.options.maximumResponseBytes = 5
        #expect(try await echo.send(request).body.count == 5)
    }

    @Test func `refuses an invalid timeout`() async throws {
        var request = try HTTPRequest(.get, "http://a/")
        request.options.timeouts.total = .zero
        await #expect(throws: HTTPMessageError.self) { try await echo.send(request) }
    }
}
