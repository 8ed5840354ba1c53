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
}
