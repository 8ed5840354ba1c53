import CurlTransport
import Foundation
import HTTPMessages
import TestSupport
import Testing
import Transport

/// The server of `broken-http2`, which `.ci/check-curl` starts.
@Suite(.needsSlot, .enabled(if: Peer.brokenHTTP2Port != nil, "PATCHBAY_BROKEN_HTTP2_PORT is not set."))
struct BrokenHTTP2Tests {
    private func request(_ way: Int) throws -> HTTPRequest {
        try HTTPRequest(
            .get, "https://127.0.0.1:\((Peer.brokenHTTP2Port ?? 0) + way)/",
            options: RequestOptions(timeouts: Timeouts(response: nil, idle: nil)))
    }

    @Test(arguments: [0, 1]) func `a response without a length is complete with its end`(way: Int) async throws {
        let transport = try CurlTransport(.test())
        for _ in 0..<5 {
            #expect(try await transport.send(request(way)).body == Data("hello".utf8))
            #expect(try await transport.stream(request(way)).body.collect() == Data("hello".utf8))
        }
    }

    @Test func `responses at the same time are complete`() async throws {
        let transport = try CurlTransport(.test())
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await transport.send(request(0)).body.count } }
            for try await count in group { #expect(count == 5) }
        }
    }

    @Test(arguments: [2, 3]) func `a body whose connection fails is truncated`(way: Int) async throws {
        let transport = try CurlTransport(.test())
        for _ in 0..<3 {
            let error = await transportError { _ = try await transport.send(request(way)) }
            #expect(error?.code == .truncated || error?.code == .connectionLost, "\(error as Any)")
            let streamed = await transportError { _ = try await transport.stream(request(way)).body.collect() }
            #expect(streamed?.code == .truncated || streamed?.code == .connectionLost, "\(streamed as Any)")
        }
    }

    @Test func `a connection that closes without a response is lost`() async throws {
        let transport = try CurlTransport(.test())
        let error = await transportError { _ = try await transport.send(request(4)) }
        #expect(error?.code == .connectionLost, "\(error as Any)")
    }
}
