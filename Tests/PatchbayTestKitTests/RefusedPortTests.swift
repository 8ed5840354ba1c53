import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct RefusedPortTests {
    @Test func `refuses connections during its lifetime`() async throws {
        let port = try RefusedPort()
        #expect(port.url.absoluteString == "http://127.0.0.1:\(port.port)")
        for _ in 0..<3 {
            let request = try HTTPRequest(.get, port.url(of: "/path?query"))
            let error = await #expect(throws: TransportError.self) {
                try await URLSessionTransport(clock: ManualClock()).send(request)
            }
            #expect(error?.code == .connectionRefused)
        }
    }

    @Test func `no server can get its port`() throws {
        let ports = try (0..<50).map { _ in try RefusedPort() }
        let servers = try (0..<50).map { _ in try LoopbackServer { $0.response() } }
        #expect(Set(ports.map(\.port) + servers.map(\.port)).count == 100)
        #expect(throws: LoopbackError.self) { try LoopbackServer(port: ports[0].port) { $0.response() } }
    }
}
