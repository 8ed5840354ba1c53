import CurlTransport
import Foundation
import HTTPMessages
import TestSupport
import Testing
import Transport

@Suite(.needsSlot, .enabled(if: Peer.isRunning && Peer.isOnIPv6, "PATCHBAY_TLS_IPV6 is not set."))
struct IPv6Tests {
    @Test(arguments: [Peer.valid, .plain])
    func `an address of IPv6 is a host, in the URL and in the Host field`(peer: Peer) async throws {
        let transport = try CurlTransport(network: .test())
        let response = try await transport.send(peer.request(host: "[::1]"))
        #expect(response.status == .ok)
        #expect(response.shown.last?.hasPrefix("[::1]") == true, "\(response.shown)")
        #expect(response.url.absoluteString == peer.origin("[::1]") + "/shown")
        #expect(response.head.transferReport?.metrics?.remoteAddress == "::1")
    }

    @Test func `the family of addresses can be set`() async throws {
        let four = try CurlTransport(network: .test { $0.addressFamily = .ipv4 })
        let six = try CurlTransport(network: .test { $0.addressFamily = .ipv6 })
        #expect(try await four.send(Peer.plain.request()).status == .ok)
        #expect(try await six.send(Peer.plain.request(host: "[::1]")).status == .ok)
        for (transport, host) in [(six, "127.0.0.1"), (four, "[::1]")] {
            let error = await transportError { _ = try await transport.send(Peer.plain.request(host: host)) }
            let codes: [TransportError.Code?] = [.hostNotFound, .unreachable, .connectionRefused]
            #expect(codes.contains(error?.code), "\(error as Any)")
        }
    }
}
