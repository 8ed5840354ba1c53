import Connectivity
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct BandwidthTests {
    private let clock = ManualClock()
    private let network = ManualNetworkMonitor(.reachable)

    private func settings() -> BandwidthSettings {
        BandwidthSettings(clock: clock) { [network] in network }
    }

    @Test func `a maximum limits all requests, and 0 removes it`() {
        let settings = settings()
        #expect(settings.maximum == 0 && !settings.isThrottled)
        settings.maximum = 5000
        #expect(settings.maximum == 5000 && settings.isThrottled)
        settings.maximum = 0
        #expect(!settings.isThrottled)
        settings.maximum = -1
        #expect(settings.maximum == 0 && !settings.isThrottled)
    }

    @Test func `a limit for mobile networks follows the network`() {
        let settings = settings()
        settings.throttleOnWWAN(WWANBandwidthThrottleAmount)
        #expect(settings.maximum == 14_800 && !settings.isThrottled)
        network.set(NetworkState(.reachable, isExpensive: true))
        #expect(settings.isThrottled)
        network.set(.reachable)
        #expect(!settings.isThrottled)
        network.set(NetworkState(.reachable, isExpensive: true))
        settings.stopThrottling()
        #expect(settings.maximum == 0 && !settings.isThrottled)
        network.set(.reachable)
        network.set(NetworkState(.reachable, isExpensive: true))
        #expect(!settings.isThrottled)
    }

    @Test func `a limit for mobile networks follows a change that comes while it is set`() {
        let changing = ChangingNetwork()
        let settings = BandwidthSettings(clock: clock) { changing }
        settings.throttleOnWWAN(WWANBandwidthThrottleAmount)
        #expect(changing.isExpensive && settings.isThrottled)
        changing.network.set(.reachable)
        #expect(!settings.isThrottled)
    }

    /// A network that becomes a mobile one while its state is read for the first time.
    private struct ChangingNetwork: NetworkMonitor {
        let network = ManualNetworkMonitor(.reachable)
        private let isRead = Watched(false)
        var state: NetworkState {
            let state = network.state
            let wasRead = isRead.update { isRead in
                defer { isRead = true }
                return isRead
            }
            if !wasRead { network.set(NetworkState(.reachable, isExpensive: true)) }
            return state
        }
        func subscribe(_ handler: @escaping @Sendable (NetworkState) -> Void) -> NetworkSubscription {
            network.subscribe(handler)
        }
    }

    @Test func `requests of a session pass at its maximum, and are measured`() async throws {
        let session = SDMSession(
            transport: FakeTransport { $0.response(body: Data(repeating: 7, count: 3000)) }, clock: clock)
        session.bandwidth.maximum = 1000
        let transport = session.limitedTransport
        let request = try HTTPRequest(.get, "http://h/")
        let response = try await clock.autoAdvancing { try await transport.send(request) }
        #expect(response.body.count == 3000)
        #expect(clock.now.offset > .seconds(2.85) && clock.now.offset < .seconds(2.91))
        #expect(session.bandwidth.averagePerSecond == 600)
        session.bandwidth.maximum = 0
        _ = try await transport.send(request)
        #expect(clock.now.offset < .seconds(2.91) && session.bandwidth.averagePerSecond == 1200)
    }

    @Test func `a request of the vendor's class is limited, too`() async throws {
        let session = SDMSession(
            transport: FakeTransport { $0.response(body: Data(repeating: 7, count: 100)) }, clock: clock)
        session.bandwidth.maximum = 1_000_000
        let request = SDMHttpRequest(url: URL(string: "http://h/"), session: session)
        try await request.response()
        #expect(request.responseData?.count == 100)
        #expect(session.bandwidth.averagePerSecond == 20)
    }
}
