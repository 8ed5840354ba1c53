import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
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

    // libcurl 7.88 leaves such a connection in use, on which no further request gets a response.
    @Test func `a head over the limit ends its connection only`() async throws {
        let transport = try CurlTransport(.test())
        for _ in 0..<3 {
            let error = await transportError { _ = try await transport.send(request(5)) }
            #expect(error?.code == .malformedResponse, "\(error as Any)")
        }
        // The first request of a connection gets the large head.
        let results = await withTaskGroup { group in
            for _ in 0..<16 { group.addTask { await transportError { _ = try await transport.send(request(5)) } } }
            return await group.reduce(into: []) { $0.append($1?.code) }
        }
        #expect(results.allSatisfy { $0 == nil || $0 == .malformedResponse || $0 == .connectionLost }, "\(results)")
    }

    // Without turns, the frames are read to their end before the requests have finished.
    @Test(arguments: 6...9)
    func `requests to other servers finish beside a flood of frames`(way: Int) async throws {
        try await LoopbackServer { $0.response(text: "ok") }.stopping { server in
            let transport = try CurlTransport(.test())
            let flooded = Task { await transportError { _ = try await transport.send(request(way)) } }
            for _ in 0..<100 {
                let response = try await transport.send(HTTPRequest(.get, server.url(of: "/")))
                #expect(response.body == Data("ok".utf8))
            }
            flooded.cancel()
            let error = await flooded.value
            #expect(error?.code == .cancelled || error?.code == .connectionLost, "\(error as Any)")
            await transport.shutdown(.cancelling)
        }
    }

    // TLS 1.3: the handshake has ended for the client when the server refuses it.
    @Test func `a missing client certificate is a tls error`() async throws {
        let error = await transportError { _ = try await CurlTransport(.test()).send(request(10)) }
        #expect(error?.code == .tls && error?.tlsFailure == .handshake, "\(error as Any)")
    }
}
