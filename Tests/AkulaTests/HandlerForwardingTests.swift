import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

/// A delegate that forwards all callbacks, as a spinner or logger does.
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

@Suite struct HandlerForwardingTests {
    @Test(arguments: DelegateKind.allCases)
    func `they receive the same callbacks as without forwarding`(kind: DelegateKind) async throws {
        try await Fixture.run(.memory) { fixture in
            for endpoint in ["/object", "/text", "/404", "/a\nb"] {
                let (direct, forwarded) = (EventLog(), EventLog())
                await fixture.agent.get(endpoint, delegate: kind.make(direct)).wait()
                await fixture.agent.get(endpoint, delegate: Forwarding(kind.make(forwarded))).wait()
                #expect(direct.events.count == 2)
                #expect(forwarded.events == direct.events, "\(endpoint)")
            }
        } respond: { request in
            switch request.url.lastPathComponent {
            case "object": request.response(json: ["a": 1])
            case "404": request.response(.notFound, json: ["code": 404])
            default: request.response(text: "text")
            }
        }
    }
}
