import Foundation
import HTTPMessages
import PatchbayTestKit
import SystemLibraries
import TestSupport
import Testing
import Transport

@testable import SignIn

@Suite(.needsSlot) struct LoopbackListenerTests {
    private func listener() throws -> LoopbackListener {
        let listener = try LoopbackListener(port: 0, path: "/callback")
        listener.start { _ in .success }
        return listener
    }

    @Test(arguments: [false, true])
    func `a client that keeps sending is disconnected, also while the listener ends`(isStopped: Bool) async throws {
        let listener = try listener()
        let socket = try LoopbackSocket.connected(to: listener.port)
        let (responded, ended) = (Gate(), Gate())
        // More than the listener reads at once, so that there is always something to read.
        let rest = [UInt8](repeating: 0x61, count: 1 << 20)
        let head = Array("GET /callback?state=s HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\n\r\n".utf8)
        Thread {
            BrokenPipeSignal.turnOffForThread()
            _ = write(socket, head, head.count)
            var byte: UInt8 = 0
            _ = read(socket, &byte, 1)
            responded.open()
            while write(socket, rest, rest.count) > 0 {}
            ended.open()
        }.start()
        try await responded.wait()
        if isStopped { await listener.stop() }
        try await ended.wait()
        await listener.stop()
        _ = close(socket)
    }

    @Test func `a deadline ends a connection, also one that can be read`() {
        let now = ContinuousClock.now
        for request in [nil, RedirectRequest(path: "/", port: 1)] {
            let connection = ListenerConnections.Connection(request: request, deadline: now)
            #expect(connection.step(isReadable: true, at: now) == .end)
            #expect(connection.step(isReadable: false, at: now) == .end)
            #expect(connection.step(isReadable: true, at: now - .nanoseconds(1)) == .read)
            #expect(connection.step(isReadable: false, at: now - .nanoseconds(1)) == nil)
        }
    }

    @Test func `idle clients do not keep the browser out`() async throws {
        let listener = try listener()
        let idle = try (0..<40).map { _ in try LoopbackSocket.connected(to: listener.port) }
        let request = try HTTPRequest(.get, "http://127.0.0.1:\(listener.port)/callback?state=s")
        #expect(try await URLSessionTransport.shared.send(request).status == .ok)
        await listener.stop()
        for socket in idle { _ = close(socket) }
    }

    @Test func `a redirect to the IPv6 address is served too, where the machine has one`() async throws {
        let listener = try listener()
        #expect(listener.host == "127.0.0.1")
        if let socket = try? LoopbackSocket.connected(to: listener.port, .ipv6) {
            let head = Array("GET /callback?state=s HTTP/1.1\r\nHost: [::1]:\(listener.port)\r\n\r\n".utf8)
            #expect(write(socket, head, head.count) == head.count)
            #expect(LoopbackSocket.readable([socket], milliseconds: -1) == [socket])
            var bytes = [UInt8](repeating: 0, count: 15)
            #expect(read(socket, &bytes, 15) == 15 && String(decoding: bytes, as: UTF8.self) == "HTTP/1.1 200 OK")
            _ = close(socket)
        }
        await listener.stop()
    }

    /// What binding a family fails with on a machine; nil where it succeeds.
    static let machines: [(ipv4: POSIXErrorCode?, ipv6: POSIXErrorCode?, host: String?, count: Int)] = [
        (nil, .EADDRNOTAVAIL, "127.0.0.1", 1), (nil, .EAFNOSUPPORT, "127.0.0.1", 1), (nil, .EADDRINUSE, "127.0.0.1", 1),
        (nil, nil, "127.0.0.1", 2), (.EADDRNOTAVAIL, nil, "[::1]", 1), (.EAFNOSUPPORT, nil, "[::1]", 1),
        // The URI that is registered has 127.0.0.1.
        (.EADDRINUSE, nil, nil, 0), (.EACCES, nil, nil, 0), (.EAFNOSUPPORT, .EADDRINUSE, nil, 0),
    ]

    @Test(arguments: machines.indices) func `it goes without the family that the machine lacks`(index: Int) throws {
        let machine = Self.machines[index]
        var ports: [UInt16] = []
        let result = Result { () throws(POSIXError) in
            try LoopbackAddresses(port: 0) { port, family throws(POSIXError) in
                ports.append(port)
                if let code = family == .ipv4 ? machine.ipv4 : machine.ipv6 { throw POSIXError(code) }
                // The machine of the test may have no IPv6.
                return (try LoopbackSocket.bound(to: 0).descriptor, 4711)
            }
        }
        switch result {
        case .success(let addresses):
            #expect(addresses.host == machine.host && addresses.descriptors.count == machine.count)
            #expect(addresses.port == 4711 && ports == (machine.ipv4 == nil ? [0, 4711] : [0, 0]))
            for descriptor in addresses.descriptors { _ = close(descriptor) }
        case .failure(let error):
            #expect(machine.host == nil && error.code == machine.ipv6 ?? machine.ipv4)
        }
    }
}
