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
        var listener = try listener()
        #expect(listener.host == "127.0.0.1")
        // The listener must have it where the machine does.
        if let probe = try? LoopbackSocket.bound(to: 0, .ipv6) {
            _ = close(probe.descriptor)
            var connected = try? LoopbackSocket.connected(to: listener.port, .ipv6)
            // Another program may have the number for IPv6.
            for _ in 0..<8 where connected == nil {
                await listener.stop()
                listener = try self.listener()
                connected = try? LoopbackSocket.connected(to: listener.port, .ipv6)
            }
            let socket = try #require(connected)
            LoopbackSocket.setTimeout(.receiving, seconds: 60, of: socket)
            let head = Array("GET /callback?state=s HTTP/1.1\r\nHost: [::1]:\(listener.port)\r\n\r\n".utf8)
            #expect(write(socket, head, head.count) == head.count)
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

    /// Binds IPv4 in place of each family, since the machine of the test may have no IPv6.
    private static func bind(
        _ machine: Int, _ calls: inout [String], _ port: UInt16, _ family: LoopbackSocket.Family, _ isPicked: Bool
    ) throws(POSIXError) -> (descriptor: CInt, port: UInt16) {
        calls.append("\(family) \(port)\(isPicked ? " picked" : "")")
        if let code = family == .ipv4 ? machines[machine].ipv4 : machines[machine].ipv6 { throw POSIXError(code) }
        return (try LoopbackSocket.bound(to: 0).descriptor, port == 0 ? 4711 : port)
    }

    @Test(arguments: machines.indices) func `it goes without the family that the machine lacks`(index: Int) throws {
        let machine = Self.machines[index]
        var calls: [String] = []
        let result = Result { () throws(POSIXError) in
            try LoopbackAddresses(port: 0) { port, family, isPicked throws(POSIXError) in
                try Self.bind(index, &calls, port, family, isPicked)
            }
        }
        switch result {
        case .success(let addresses):
            #expect(addresses.host == machine.host && addresses.descriptors.count == machine.count)
            #expect(addresses.port == 4711)
            // A picked port must not be shared with another program's.
            #expect(calls == ["ipv4 0", machine.ipv4 == nil ? "ipv6 4711 picked" : "ipv6 0"])
            for descriptor in addresses.descriptors { _ = close(descriptor) }
        case .failure(let error):
            #expect(machine.host == nil && error.code == machine.ipv4)
        }
    }

    @Test(arguments: machines.indices) func `a given port is one of 127.0.0.1, or an error`(index: Int) throws {
        let machine = Self.machines[index]
        var calls: [String] = []
        let result = Result { () throws(POSIXError) in
            try LoopbackAddresses(port: 8400) { port, family, isPicked throws(POSIXError) in
                try Self.bind(index, &calls, port, family, isPicked)
            }
        }
        switch result {
        case .success(let addresses):
            #expect(machine.ipv4 == nil && addresses.host == "127.0.0.1" && addresses.port == 8400)
            #expect(calls == ["ipv4 8400", "ipv6 8400"])
            for descriptor in addresses.descriptors { _ = close(descriptor) }
        case .failure(let error):
            #expect(error.code == machine.ipv4 && calls == ["ipv4 8400"])
        }
    }
}
