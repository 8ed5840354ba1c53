import CurlTransport
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct CancelledUpgradeTests {
    @Test func `a cancelled upgrade ends with an error of its request`() async throws {
        let clock = ManualClock()
        let server = try LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest()
            connection.stall()
        })
        try await server.stopping { server in
            let transport = try CurlTransport(network: .init(proxy: .none), clock: clock)
            var upgrade = try HTTPRequest(.get, server.url)
            upgrade.options.upgradeProtocol = "echo"
            let request = upgrade
            // Both the exchange and its deadline are cancelled; either may be the first to end.
            for count in 1...100 {
                let call = Task { _ = try await transport.send(request) }
                try await server.requests(count: count)
                try await clock.waitForSleepers(1)
                call.cancel()
                let error = await transportError { try await call.value }
                #expect(error?.code == .cancelled && error?.request != nil, "\(error as Any)")
            }
        }
    }
}
