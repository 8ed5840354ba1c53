import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@Suite struct ModifyingRequestsTests {
    @Test(arguments: ["http://h.test/", "http://h.test/b", "http://other.test/"], [false, true])
    func `a failure is one of the request before the change`(url: String, isStreamed: Bool) async throws {
        let base = ScriptedTransport([], then: .failure(.connectionRefused))
        let transport = base.modifyingRequests { try $0.setURL(url) }
        let (request, other) = (try HTTPRequest(.post, "http://h.test/"), try HTTPRequest(.post, "http://h.test/c"))
        let error = await #expect(throws: TransportError.self) {
            _ = try await isStreamed ? transport.stream(request).head : transport.send(request).head
        }
        #expect(error?.isOf(request) == true && error?.isOf(other) == false)
        #expect(try base.requests.map(\.url) == [HTTPRequest(.get, url).url])
    }

    @Test(arguments: [false, true])
    func `a failure of a redirect's target is not one of the request before the change`(isStreamed: Bool) async throws {
        let transport = FakeTransport { request in
            // As from a redirect back to the URL of the call.
            guard request.url.path() == "/moved" else {
                return request.response(.temporaryRedirect, fields: try HTTPFields(["Location": "http://h.test/moved"]))
            }
            throw TransportError(.connectionRefused, "Connection refused.", request: request)
        }.redirecting().modifyingRequests { try $0.setURL("http://h.test/b") }
        let request = try HTTPRequest(.post, "http://h.test/moved")
        let error = await #expect(throws: TransportError.self) {
            _ = try await isStreamed ? transport.stream(request).head : transport.send(request).head
        }
        #expect(error?.isOf(request) == false)
    }
}
