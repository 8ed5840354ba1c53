import Glibc
import PatchbayTestKit
import TestSupport
import Testing

@testable import CurlTransport

@Suite(.needsSlot) struct SocketPollerTests {
    /// Connects a socket of a poller to a server on this machine.
    private func connect(_ poller: SocketPoller, to port: Int) throws -> CInt {
        let descriptor = poller.openSocket(family: AF_INET, type: CInt(SOCK_STREAM.rawValue), protocol: 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(descriptor >= 0 && result == 0)
        return descriptor
    }

    // The descriptor of a held connection is that of another socket, which has sent nothing.
    @Test func `a connection that is held when its transfer ends is watched for bytes that no request has asked for`()
        async throws
    {
        let asked = Gate()
        try await LoopbackServer(connections: { connection in
            _ = try connection.receive()
            try await asked.wait()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen")
            connection.stall()
        }).stopping { server in
            let poller = try #require(SocketPoller())
            let handle = try #require(EasyHandle(CurlLibrary.system.get(), sockets: poller))
            let descriptor = try connect(poller, to: server.port)
            poller.watch(descriptor, 1, for: handle)
            #expect(send(descriptor, "request", 7, 0) == 7)
            poller.beginTurn(descriptor)
            for _ in 0..<64 { poller.recordReceived(for: handle) }
            #expect(poller.hasHeld)
            poller.watch(descriptor, 4, for: handle)
            poller.setIdle(after: handle)
            #expect(poller.hasIdle && !poller.hasHeld)
            asked.open()
            let mailbox = Mailbox(try #require(Wakeup()))
            #expect(poller.wait(mailbox, milliseconds: 60_000) { _, _ in })
            // The connection has ended for libcurl.
            var byte: UInt8 = 0
            #expect(!poller.hasIdle && recv(descriptor, &byte, 1, 0) == 0)
            _ = poller.closeSocket(descriptor)
        }
    }
}
