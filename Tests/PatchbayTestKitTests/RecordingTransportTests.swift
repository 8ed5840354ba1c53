import Foundation
import HTTPMessages
import TestSupport
import Testing
import Transport

@testable import PatchbayTestKit

@Suite(.needsSlot) struct RecordingTransportTests {
    @Test func `records requests, events and outcomes`() async throws {
        let transport = RecordingTransport(base: ScriptedTransport([.text("hi"), .failure(.timedOut)]))
        let log = EventRecorder()
        async let ended = transport.exchanges(ended: 2)
        let request = try HTTPRequest(.post, "http://a/1", body: .text("abc"))
        let response = try await transport.send(request, observer: log)
        await expectFailure(.timedOut) { try await transport.send(HTTPRequest(.get, "http://a/2")) }
        let exchanges = try await ended
        #expect(exchanges.map { $0.request.url.path() } == ["/1", "/2"])
        #expect(exchanges[0].response == response && exchanges[0].error == nil)
        #expect(exchanges[0].events == [.sentBytes(3, total: 3), .head(response.head), .receivedBytes(2, total: 2)])
        #expect(log.events == exchanges[0].events)
        #expect(exchanges[1].response == nil && !exchanges[1].isCancelled)
        #expect((exchanges[1].error as? TransportError)?.code == .timedOut)
    }

    @Test func `distinguishes calls in flight from cancelled ones`() async throws {
        let transport = RecordingTransport(base: ScriptedTransport([.never]))
        let request = try HTTPRequest(.get, "http://a/")
        let call = Task { try await transport.send(request) }
        try await transport.base.requests(count: 1)
        #expect(transport.exchanges[0].outcome == nil)
        call.cancel()
        await expectFailure(.cancelled) { try await call.value }
        #expect(transport.exchanges[0].isCancelled)
    }

    @Test func `a stream ends with its body; a released one is cancelled`() async throws {
        let transport = RecordingTransport(base: ScriptedTransport([], then: .text("hi")))
        let request = try HTTPRequest(.get, "http://a/")
        let log = EventRecorder()
        let response = try await transport.stream(request, observer: log)
        #expect(transport.exchanges[0].outcome == nil && log.events == [.head(response.head)])
        #expect(try await response.collect().body == Data("hi".utf8))
        #expect(transport.exchanges[0].response?.body == Data("hi".utf8))
        #expect(transport.exchanges[0].events.last == .receivedBytes(2, total: 2) && log.events.count == 2)
        for try await _ in try await transport.stream(request).body { break }
        #expect(transport.exchanges[1].isCancelled)
    }

    @Test func `records streams that fail before or after the head`() async throws {
        let failing = RecordingTransport(base: ScriptedTransport([.failure(.timedOut)]))
        await expectFailure(.timedOut) { try await failing.stream(HTTPRequest(.get, "http://a/")) }
        #expect((failing.exchanges[0].error as? TransportError)?.code == .timedOut)
    }

    private struct Chatterbox: Transport {
        let observers = Watched<[any TransferObserver]>([])
        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            if let observer { observers.update { $0.append(observer) } }
            return request.response()
        }
    }

    @Test func `records events after the outcome as late`() async throws {
        let transport = RecordingTransport(base: Chatterbox())
        _ = try await transport.send(HTTPRequest(.get, "http://a/"))
        transport.base.observers.value.first?.transfer(didEmit: .receivedBytes(1, total: nil))
        #expect(transport.exchanges[0].events.isEmpty)
        #expect(transport.exchanges[0].lateEvents == [.receivedBytes(1, total: nil)])
    }
}
