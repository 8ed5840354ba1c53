import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct UpgradeTests {
    /// A server that switches to the protocol `echo`, and sends back what it receives.
    private static func serve(_ connection: RawConnection, _ request: RecordedRequest) throws {
        try connection.send("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: Echo\r\n\r\nhello")
        while let bytes = try connection.receive(), !bytes.isEmpty { try connection.send(bytes) }
    }

    private static func server() throws -> LoopbackServer {
        try LoopbackServer(connections: { connection in
            guard let request = try connection.receiveRequest() else { return }
            try serve(connection, request)
        })
    }

    private func connection(_ request: HTTPRequest, _ transport: CurlTransport) async throws -> any UpgradedConnection {
        var request = request
        request.options.upgradeProtocol = "echo"
        let response = try await transport.send(request)
        guard case .bytes(let connection)? = response.head.upgradedStream else {
            throw TransportError(.unknown, "No connection: \(response.status).")
        }
        #expect(response.head.metrics?.connected != nil)
        return connection
    }

    private func read(_ count: Int, from connection: any UpgradedConnection) async throws -> Data {
        var bytes = Data()
        while bytes.count < count, let more = try await connection.read() { bytes.append(more) }
        return bytes
    }

    @Test func `bytes pass in both directions`() async throws {
        try await Self.server().stopping { server in
            let transport = try CurlTransport(.init(proxy: .none))
            let connection = try await connection(HTTPRequest(.get, server.url), transport)
            #expect(try await read(5, from: connection) == Data("hello".utf8))
            let sent = Data((0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 / 3) })
            async let received = read(sent.count, from: connection)
            try await connection.write(sent)
            #expect(try await received == sent)
            connection.close()
            connection.close()
            await #expect { try await connection.read() } throws: { $0.isCancellation }
            await #expect(throws: TransportError.self) { try await connection.write(Data([1])) }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test func `a proxy gets a tunnel and its credentials, and the server does not`() async throws {
        let proxy = try LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest()
            try connection.send("HTTP/1.1 200 Tunnel\r\nX: y\r\n\r\n")
            guard let request = try connection.receiveRequest() else { return }
            try Self.serve(connection, request)
        })
        try await proxy.stopping { proxy in
            let transport = try CurlTransport(
                .init(
                    proxy: .server(
                        .init(host: "127.0.0.1", port: UInt16(proxy.port), user: "user", password: "secret"))))
            let connection = try await connection(HTTPRequest(.get, "http://app.invalid/path"), transport)
            #expect(try await read(5, from: connection) == Data("hello".utf8))
            let requests = proxy.requests
            #expect(requests.map(\.method) == ["CONNECT", "GET"] && requests[0].target == "app.invalid:80")
            #expect(requests[0].fields["Proxy-Authorization"] != nil && requests[0].fields["Upgrade"] == nil)
            #expect(requests[1].fields["Proxy-Authorization"] == nil && requests[1].fields["Host"] == "app.invalid")
        }
    }

    @Test func `a connection outlives its transport, and closes with its last reference`() async throws {
        try await Self.server().stopping { server in
            var transport: CurlTransport? = try CurlTransport(.init(proxy: .none))
            var held: (any UpgradedConnection)? = try await connection(
                HTTPRequest(.get, server.url), try #require(transport))
            transport = nil
            #expect(try await read(5, from: try #require(held)) == Data("hello".utf8))
            try await held?.write(Data("again".utf8))
            #expect(try await read(5, from: try #require(held)) == Data("again".utf8))
            held = nil
            try await server.waitForOpenConnections(0)
        }
    }

    @Test func `a server that closes at once ends its connection, and no other transfer`() async throws {
        let proxy = try LoopbackServer(connections: { connection in
            guard let request = try connection.receiveRequest() else { return }
            try connection.send(
                request.method == "CONNECT" ? "HTTP/1.1 200 OK\r\n\r\n" : "HTTP/1.1 204 None\r\n\r\n")
            connection.close()
        })
        try await proxy.stopping { proxy in
            let transport = try CurlTransport(
                .init(proxy: .server(.init(host: "127.0.0.1", port: UInt16(proxy.port)))))
            for _ in 0..<100 {
                let error = await #expect(throws: TransportError.self) {
                    try await connection(HTTPRequest(.get, "http://app.invalid/"), transport)
                }
                #expect(error?.code == .connectionLost)
            }
            #expect(try await transport.send(HTTPRequest(.get, "http://app.invalid/")).status == .noContent)
        }
    }

    @Test func `a connection closes after the bytes that were written`() async throws {
        let count = 32 << 20
        let received = Watched(0)
        let server = try LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest()
            try connection.send("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: Echo\r\n\r\n")
            while let bytes = try connection.receive(), !bytes.isEmpty {
                received.update { $0 += bytes.count }
            }
        })
        try await server.stopping { server in
            let transport = try CurlTransport(.init(proxy: .none))
            let connection = try await connection(HTTPRequest(.get, server.url), transport)
            // The write of a cancelled task waits for no room.
            let writer = Task { try await connection.write(Data(count: count)) }
            writer.cancel()
            try await writer.value
            connection.close()
            try await server.waitForOpenConnections(0)
            #expect(received.value == count)
        }
    }

    @Test func `bytes that were written are sent after the end of the peer, also after a close`() async throws {
        let count = 32 << 20
        let (hasWritten, received) = (Gate(), Watched(0))
        let server = try LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest()
            try connection.send("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: Echo\r\n\r\n")
            try await hasWritten.wait()
            connection.finishSending()
            while let bytes = try connection.receive(), !bytes.isEmpty { received.update { $0 += bytes.count } }
        })
        try await server.stopping { server in
            let transport = try CurlTransport(.init(proxy: .none))
            let connection = try await connection(HTTPRequest(.get, server.url), transport)
            // The write of a cancelled task waits for no room.
            let writer = Task { try await connection.write(Data(count: count)) }
            writer.cancel()
            try await writer.value
            hasWritten.open()
            #expect(try await connection.read() == nil)
            await #expect(throws: TransportError.self) { try await connection.write(Data([1])) }
            connection.close()
            try await server.waitForOpenConnections(0)
            #expect(received.value == count)
        }
    }

    @Test func `what the peer has sent before its end is read, though its end stops a write`() async throws {
        let hasWritten = Gate()
        let server = try LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest()
            try connection.send("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: Echo\r\n\r\n")
            try await hasWritten.wait()
            try connection.send("too big")
            // With unread bytes: a reset.
            connection.close()
        })
        try await server.stopping { server in
            let transport = try CurlTransport(.init(proxy: .none))
            let connection = try await connection(HTTPRequest(.get, server.url), transport)
            // The second hold of the network's thread is in one round with the write, before the network is looked at.
            let first = try await Self.hold(connection.executor)
            let second = Hold()
            let job = Task(executorPreference: connection.executor) { second.begin() }
            let writer = Task { try await connection.write(Data(count: 32 << 20)) }
            writer.cancel()
            try await writer.value
            first.end()
            try await second.isHeld.wait()
            hasWritten.open()
            try await server.waitForOpenConnections(0)
            second.end()
            await job.value
            #expect(try await read(7, from: connection) == Data("too big".utf8))
            let error = await transportError { _ = try await connection.read() }
            #expect(error?.message.hasPrefix("Connection lost while sending") == true, "\(error as Any)")
            await #expect(throws: TransportError.self) { try await connection.write(Data([1])) }
        }
    }

    /// Holds the thread that calls `begin`.
    private final class Hold: Sendable {
        let isHeld = Gate()
        private let release = DispatchSemaphore(value: 0)
        func begin() {
            isHeld.open()
            release.wait()
        }
        func end() { release.signal() }
    }

    private static func hold(_ executor: (any TaskExecutor)?) async throws -> Hold {
        let hold = Hold()
        Task(executorPreference: executor) { hold.begin() }
        try await hold.isHeld.wait()
        return hold
    }

    @Test func `an upgrade needs HTTP 1`() async throws {
        try await Self.server().stopping { server in
            let transport = try CurlTransport(.init(proxy: .none))
            var request = try HTTPRequest(.get, server.url)
            for version in [HTTPVersionPreference.http2, .http3] {
                request.options.httpVersion = version
                let error = await #expect(throws: TransportError.self) { try await self.connection(request, transport) }
                #expect(error?.code == .unsupported)
            }
            #expect(server.connectionCount == 0)
            request.options.httpVersion = .http1
            let connection = try await self.connection(request, transport)
            #expect(try await read(5, from: connection) == Data("hello".utf8))
        }
    }

    @Test(arguments: [1...200, 1...100_000])
    func `writes arrive whole and in order, whether the network takes them at once or not`(
        sizes: ClosedRange<Int>
    ) async throws {
        try await Self.server().stopping { server in
            let transport = try CurlTransport(.init(proxy: .none))
            let connection = try await connection(HTTPRequest(.get, server.url), transport)
            #expect(try await read(5, from: connection) == Data("hello".utf8))
            var generator = SeededGenerator(seed: 5)
            let pieces = (0..<300).map { number in
                Data(repeating: UInt8(number % 251), count: Int.random(in: sizes, using: &generator))
            }
            let sent = pieces.reduce(into: Data()) { $0 += $1 }
            async let received = read(sent.count, from: connection)
            for piece in pieces { try await connection.write(piece) }
            #expect(try await received == sent)
        }
    }

    @Test func `a write after the peer has closed fails, and ends no process`() async throws {
        let server = try LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest()
            try connection.send("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: Echo\r\n\r\n")
            connection.close()
        })
        try await server.stopping { server in
            let transport = try CurlTransport(.init(proxy: .none))
            let connection = try await connection(HTTPRequest(.get, server.url), transport)
            try await server.waitForOpenConnections(0)
            let error = await transportError { while true { try await connection.write(Data(count: 1000)) } }
            #expect(error?.code == .connectionLost, "\(error as Any)")
        }
    }

    @Test func `a reader may run on the thread of the connection, and ends after it`() async throws {
        try await Self.server().stopping { server in
            let transport = try CurlTransport(.init(proxy: .none))
            let connection = try await connection(HTTPRequest(.get, server.url), transport)
            let threads = Watched<[String]>([])
            let reader = Task(executorPreference: connection.executor) {
                while try await connection.read() != nil { threads.update { $0.append(threadName()) } }
            }
            _ = try await threads.wait { !$0.isEmpty }
            #expect(threads.value == ["patchbay.curl"])
            await transport.shutdown(.cancelling)
            #expect(await transportError { try await reader.value }?.isCancellation == true)
        }
    }

    @Test func `a shutdown that cancels ends the reader`() async throws {
        try await Self.server().stopping { server in
            let transport = try CurlTransport(.init(proxy: .none))
            let connection = try await connection(HTTPRequest(.get, server.url), transport)
            #expect(try await read(5, from: connection) == Data("hello".utf8))
            async let end = connection.read()
            await transport.shutdown(.cancelling)
            do {
                _ = try await end
                Issue.record("no error")
            } catch { #expect(error.isCancellation) }
        }
    }
}
