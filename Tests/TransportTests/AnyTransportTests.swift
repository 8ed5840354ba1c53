import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@Suite struct AnyTransportTests {
    @Test func `sends and streams through its base`() async throws {
        let base = ScriptedTransport([], then: .text("hello"))
        let transport = AnyTransport(base)
        let request = try HTTPRequest(.get, "http://h/")
        #expect(try await transport.send(request).body == Data("hello".utf8))
        #expect(try await transport.stream(request).collect().body == Data("hello".utf8))
        #expect(base.requests.count == 2)
    }

    @Test func `streams over a base that does not stream`() async throws {
        let recorder = EventRecorder()
        let transport = AnyTransport(Buffered(base: ScriptedTransport([], then: .text("hello"))))
        let response = try await transport.stream(HTTPRequest(.get, "http://h/"), observer: recorder)
        #expect(try await response.collect().body == Data("hello".utf8))
        #expect(recorder.events.last == .receivedBytes(5, total: 5))
    }

    @Test func `rethrows errors unchanged`() async throws {
        let transport = AnyTransport(ScriptedTransport([], then: .failure(.hostNotFound)))
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest(.get, "http://h/"))
        }
        #expect(error?.code == .hostNotFound)
    }

    @Test func `is not wrapped twice`() {
        let base = ScriptedTransport([])
        #expect(AnyTransport(AnyTransport(base)).base is ScriptedTransport)
    }
}

/// Hides that its base can stream.
private struct Buffered<Base: Transport>: Transport {
    let base: Base
    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await base.send(request, observer: observer)
    }
}
