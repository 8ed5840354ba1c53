import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Transport

@Suite struct TransportTests {
    @Test func `sending without an observer is sending with none`() async throws {
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
