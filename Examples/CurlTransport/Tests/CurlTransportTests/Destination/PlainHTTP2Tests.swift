import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// HTTP/2 without TLS, for which a request asks.
@Suite(.needsSlot) struct PlainHTTP2Tests {
    /// Responds to each request with "hello", by frames of RFC 9113.
    /// - Parameter isCut: true for a body whose connection closes before its end.
    private static func serve(_ connection: RawConnection, isCut: Bool) throws {
        var bytes = Data()
        var hasPreface = false
        // SETTINGS
        try connection.send(Data([0, 0, 0, 4, 0, 0, 0, 0, 0]))
        while let piece = try connection.receive() {
            bytes = Data(bytes + piece)
            if !hasPreface, bytes.count >= 24 { (hasPreface, bytes) = (true, Data(bytes.dropFirst(24))) }
            while hasPreface, bytes.count >= 9 {
                let length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
                guard bytes.count >= 9 + length else { break }
                let (kind, stream) = (bytes[3], Data(bytes[5..<9]))
                bytes = Data(bytes.dropFirst(9 + length))
                guard kind == 1 else { continue }
                // HEADERS with `:status: 200`, then DATA
                try connection.send(Data([0, 0, 1, 1, 4]) + stream + Data([0x88]))
                try connection.send(Data([0, 0, 5, 0, isCut ? 0 : 1]) + stream + Data("hello".utf8))
                if isCut { return }
            }
        }
    }

    private func request(_ server: LoopbackServer) throws -> HTTPRequest {
        var request = try HTTPRequest(.get, server.url(of: "/"))
        request.options.httpVersion = .http2
        return request
    }

    // libcurl 7.88 cannot send a second request over such a connection. It closes each one, which is not a cut body.
    @Test func `each of several requests has its response`() async throws {
        try await LoopbackServer(connections: { try Self.serve($0, isCut: false) }).stopping { server in
            let transport = try CurlTransport(.init(proxy: .none))
            for _ in 0..<3 {
                let response = try await transport.send(request(server))
                #expect(response.body == Data("hello".utf8) && response.head.metrics?.httpVersion == "2")
            }
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 { group.addTask { try await transport.send(request(server)).body.count } }
                for try await count in group { #expect(count == 5) }
            }
        }
    }

    @Test func `a body whose connection closes is truncated`() async throws {
        try await LoopbackServer(connections: { try Self.serve($0, isCut: true) }).stopping { server in
            let transport = try CurlTransport(.init(proxy: .none))
            for _ in 0..<3 {
                let error = await transportError { _ = try await transport.send(request(server)) }
                #expect(error?.code == .truncated || error?.code == .connectionLost, "\(error as Any)")
                let streamed = await transportError {
                    _ = try await transport.stream(request(server)).body.collect()
                }
                #expect(streamed?.code == .truncated || streamed?.code == .connectionLost, "\(streamed as Any)")
            }
        }
    }
}
