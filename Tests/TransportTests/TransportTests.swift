import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Transport

@Suite("Transport") struct TransportTests {
    @Test("sending without an observer is sending with none") func send() async throws {
        struct Recorder: Transport {
            func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
                request.response(observer == nil ? .ok : .badRequest)
            }
        }
        #expect(try await Recorder().send(HTTPRequest(.get, "http://host/")).status == .ok)
        #expect(
            try await Recorder().send(HTTPRequest(.get, "http://host/"), observer: EventLog()).status == .badRequest)
    }
}
