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

    // libcurl measures it, on its own clock.
    @Test func `its expiry is an error with the phase connect`() async throws {
        // A server without TLS that says nothing.
        try await LoopbackServer(script: { _ in [] }).stopping { server in
            let url = try #require(URL(string: server.url(of: "/").absoluteString.replacing("http:", with: "https:")))
            var request = try HTTPRequest(.get, url)
            request.options.connectTimeout = .milliseconds(20)
            let error = await transportError { _ = try await CurlTransport().send(request) }
            #expect(error?.code == .timedOut && error?.phase == .connect, "\(error as Any)")
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
