import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

/// A delegate that passes everything on, as a spinner or a logger does.
private final class Forwarding: AKHTTPResponseDelegate {
    let next: any AKHTTPResponseDelegate
    init(_ next: any AKHTTPResponseDelegate) { self.next = next }
    func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) {
        next.responseDidSucceed(response, statusCode: statusCode)
    }
    func responseDidFail(_ error: AKError, response: AKHTTPResponse?) {
        next.responseDidFail(error, response: response)
    }
    func responseDone() { next.responseDone() }
}

@Suite("Akula: handlers behind another delegate") struct HandlerForwardingTests {
    @Test("receive what they would receive themselves", arguments: Listener.allCases)
    func forwarding(listener: Listener) async throws {
        try await Bench.run(.memory) { bench in
            for endpoint in ["/object", "/text", "/404", "/a\nb"] {
                let (direct, forwarded) = (EventLog(), EventLog())
                await bench.agent.get(endpoint, delegate: listener.make(direct)).wait()
                await bench.agent.get(endpoint, delegate: Forwarding(listener.make(forwarded))).wait()
                #expect(direct.events.count == 2)
                #expect(forwarded.events == direct.events, "\(endpoint)")
            }
        } answer: { request in
            switch request.url.lastPathComponent {
            case "object": request.reply(json: ["a": 1])
            case "404": request.reply(.notFound, json: ["code": 404])
            default: request.reply(text: "text")
            }
        }
    }
}
