import Connectivity
import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import SystemLibraries

@Suite struct SystemNetworkMonitorTests {
    @Test(
        arguments: [
            ([192, 168, 1, 7], true, true),
            ([192, 168, 1, 7], false, false),
            ([169, 254, 3, 4], true, false),
            ([127, 0, 0, 1], true, false),
            ([0xFE, 0x80] + Array(repeating: 0, count: 13) + [1], true, false),
            ([0x20, 0x01] + Array(repeating: 0, count: 13) + [1], true, true),
            (Array(repeating: 0, count: 15) + [1], true, false),
            ([], true, false),
        ] as [([UInt8], Bool, Bool)])
    func `1: an interface is usable when it runs and has an address that is not link-local`(
        address: [UInt8], isRunning: Bool, isUsable: Bool
    ) {
        let interface = NetworkInterface(isRunning: isRunning, address: address)
        #expect(interface.isUsable == isUsable)
        #expect(NetworkPath(interfaces: [interface])?.isSatisfied == isUsable)
    }

    @Test func `without a list of interfaces the path is not known`() {
        #expect(NetworkPath(interfaces: nil) == nil)
        #expect(NetworkPath(interfaces: [])?.isSatisfied == false)
    }

    @Test(.needsSlot) func `1: a stopped watch ends its wait`() throws {
        let watch = try #require(NetworkPathWatch())
        watch.stop()
        #expect(watch.next() == nil)
        #expect(watch.next() == nil)
    }

    /// Runs this test process again in a network namespace of its own, where only loopback exists at first.
    @Test(.needsSlot, .enabled(if: NetworkNamespace.isAvailable, "unshare -Urn is not possible here"))
    func `1: netlink reports links that go up and down`() async throws {
        let states = try await NetworkNamespace.run([
            """
            ip link add patch0 type veth peer name patch1; ip addr add 192.0.2.7/24 dev patch0; ip link set patch1 up; \
            ip link set patch0 up
            """,
            "ip link set patch0 down", "ip link set patch0 up", "ip addr del 192.0.2.7/24 dev patch0",
            "ip addr add 192.0.2.8/24 dev patch0", "ip link del patch0",
        ])
        #expect(
            states == [
                "unreachable", "reachable", "unreachable", "reachable", "unreachable", "reachable", "unreachable",
            ])
    }
}
