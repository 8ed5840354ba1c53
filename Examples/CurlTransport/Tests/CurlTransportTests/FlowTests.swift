import CurlTransport
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// Bodies while they are on their way, and what is measured of them.
@Suite(.needsSlot) struct FlowTests {
    private static let endless = RequestOptions(timeouts: Timeouts(response: nil, idle: nil))

    // The body's end waits for the server, which waits for the body's start.
    @Test(arguments: [nil, 10 as Int64])
    func `a request body leaves while it is produced`(length: Int64?) async throws {
        let arrived = Gate()
        try await LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest(readsBody: false)
            var body = Data()
            while body.firstRange(of: Data("first".utf8)) == nil, let more = try connection.receive() { body += more }
            arrived.open()
            while body.firstRange(of: Data("after".utf8)) == nil, let more = try connection.receive() { body += more }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }).stopping { server in
            let (body, pieces) = AsyncThrowingStream<Data, any Error>.makeStream()
            let producing = Task {
                pieces.yield(Data("first".utf8))
                try await arrived.wait()
                pieces.yield(Data("after".utf8))
                pieces.finish()
            }
            let request = try HTTPRequest(
                .post, server.url(of: "/"), body: .stream(body, length: length), options: Self.endless)
            #expect(try await CurlTransport().send(request).status == .ok)
            try await producing.value
        }
    }

    /// Blocks its thread, as the reader of a slow disk does.
    private final class BlockedReader: HTTPBodyReader {
        private let isReading: Gate
        private let release: DispatchSemaphore

        init(_ isReading: Gate, _ release: DispatchSemaphore) { (self.isReading, self.release) = (isReading, release) }

        func read(atMost count: Int) -> Data? {
            isReading.open()
            _ = release.wait(timeout: .now() + 10)
            return nil
        }
    }

    @Test(arguments: [nil, 10 as Int64], [false, true])
    func `a call ends by its deadline or its cancellation while its body is read`(
        length: Int64?, isCancelled: Bool
    ) async throws {
        let clock = ManualClock()
        let (isReading, release) = (Gate(), DispatchSemaphore(value: 0))
        defer { release.signal() }
        try await LoopbackServer { $0.response() }.stopping { server in
            let request = try HTTPRequest(
                .post, server.url(of: "/"), body: .generated(length: length) { BlockedReader(isReading, release) },
                options: RequestOptions(timeouts: Timeouts(response: nil, idle: nil, total: .seconds(1))))
            let transport = try CurlTransport(clock: clock)
            let call = Task { try await transport.send(request) }
            try await isReading.wait()
            if isCancelled { call.cancel() }
            let error = await transportError {
                _ = isCancelled ? try await call.value : try await clock.autoAdvancing { try await call.value }
            }
            #expect(error?.code == (isCancelled ? .cancelled : .timedOut), "\(error as Any)")
            #expect(isCancelled || error?.phase == .total)
        }
    }

    @Test func `a reader that stops holds the server back`() async throws {
        let sent = Watched(0)
        let piece = Data(repeating: 0x78, count: 64 << 10)
        // More than the buffers of both sockets, of libcurl and of the stream.
        let (limit, count) = (64 << 20, 256 << 20)
        try await LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
            for _ in 0..<(count / piece.count) {
                try connection.send(piece)
                sent.update { $0 += piece.count }
            }
        }).stopping { server in
            try await LoopbackServer { $0.response(text: "ok") }.stopping { other in
                let transport = try CurlTransport(configuration: .init(streamBufferBytes: 1 << 20))
                let request = try HTTPRequest(.get, server.url(of: "/"), options: Self.endless)
                var chunks = try await transport.stream(request).body.makeAsyncIterator()
                var received = try await chunks.next()?.count ?? 0
                // Each of these is a round of the event thread, in which it would receive more.
                for _ in 0..<500 { _ = try await transport.send(HTTPRequest(.get, other.url(of: "/"))) }
                #expect(sent.value < limit)
                while let chunk = try await chunks.next() { received += chunk.count }
                #expect(received == count && sent.value == count)
            }
        }
    }

    @Test func `durations and byte counts are those of the transfer`() async throws {
        let script: @Sendable (RecordedRequest) -> ServerScript = { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n" + String(repeating: "x", count: 300))]
        }
        try await LoopbackServer(script: script).stopping { server in
            let transport = try CurlTransport()
            let body = HTTPBody.bytes(Data(repeating: 0x61, count: 70_000))
            for number in 0..<3 {
                let start = ContinuousClock.now
                let response = try await transport.send(HTTPRequest(.put, server.url(of: "/"), body: body))
                let elapsed = ContinuousClock.now - start
                let metrics = try #require(response.head.transferReport?.metrics)
                #expect(metrics.bytesSent == 70_000 && metrics.bytesReceived == 300)
                #expect(metrics.isConnectionReused == (number > 0))
                #expect((metrics.resolved == nil, metrics.connected == nil) == (number > 0, number > 0))
                #expect(metrics.secured == nil && metrics.remoteAddress == "127.0.0.1")
                let times = [metrics.resolved, metrics.connected, metrics.firstByte, metrics.total].compactMap(\.self)
                #expect(times == times.sorted() && times.allSatisfy { $0 > .zero && $0 <= elapsed }, "\(metrics)")
            }
        }
    }

    @Test func `an error has the measurements of its transfer too`() async throws {
        let clock = ManualClock()
        try await LoopbackServer(script: { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close] })
            .stopping { server in
                let error = await #expect(throws: TransportError.self) {
                    try await CurlTransport(clock: clock).send(HTTPRequest(.get, server.url(of: "/")))
                }
                let metrics = try #require(error?.metrics ?? error?.head?.metrics)
                #expect(metrics.isConnectionReused == false && metrics.total > .zero)
            }
    }

    @Test func `a coded body counts as it was received`() async throws {
        let text = Data(repeating: 0x61, count: 100_000)
        try await LoopbackServer { request in
            request.response(body: text)
        }.stopping { server in
            let response = try await CurlTransport().send(HTTPRequest(.get, server.url(of: "/")))
            #expect(response.head.transferReport?.metrics?.bytesReceived == Int64(response.body.count))
        }
        // An empty member of gzip: 20 bytes.
        let empty = Data([31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        try await LoopbackServer(script: { _ in
            [.send(Data("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n".utf8) + empty)]
        }).stopping { server in
            let response = try await CurlTransport().send(HTTPRequest(.get, server.url(of: "/")))
            #expect(response.body.isEmpty && response.head.transferReport?.metrics?.bytesReceived == 20)
        }
    }
}
