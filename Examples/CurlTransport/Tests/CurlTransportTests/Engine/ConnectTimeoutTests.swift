import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct ConnectTimeoutTests {
    private func request(_ server: LoopbackServer, _ timeout: Duration) throws -> HTTPRequest {
        var request = try HTTPRequest(.get, server.url(of: "/"))
        request.options.connectTimeout = timeout
        return request
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.max)])
    func `an invalid timeout is refused like the others`(timeout: Duration) async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            let transport = try CurlTransport()
            let request = try request(server, timeout)
            let errors = [
                await #expect(throws: HTTPMessageError.self) { try await transport.send(request) },
                await #expect(throws: HTTPMessageError.self) { try await transport.stream(request).status },
            ]
            #expect(errors.allSatisfy { $0?.code == .invalidTimeout && $0?.message.contains("connect") == true })
            #expect(server.connectionCount == 0)
        }
    }

    @Test(arguments: [Duration.seconds(60), .seconds(100 * 365 * 86_400)])
    func `a valid timeout is accepted`(timeout: Duration) async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            let response = try await CurlTransport().send(request(server, timeout))
            #expect(response.status == .ok)
        }
    }
}
