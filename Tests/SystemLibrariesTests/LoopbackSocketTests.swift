import Foundation
import SystemLibraries
import Testing

@Suite struct LoopbackSocketTests {
    @Test func `connects to a bound port, and sees bytes, the end and errors`() throws {
        let (listener, port) = try LoopbackSocket.bound(to: 0)
        defer { close(listener) }
        #expect(port > 0)
        #expect(listen(listener, 1) == 0)
        #expect(LoopbackSocket.readable([listener], milliseconds: 0) == [])
        let client = try LoopbackSocket.connected(to: port)
        #expect(LoopbackSocket.readable([listener], milliseconds: -1) == [listener])
        let server = accept(listener, nil, nil)
        defer { close(server) }
        LoopbackSocket.sendAtOnce(server)
        LoopbackSocket.setTimeout(.both, seconds: 0, milliseconds: 1, of: server)
        var bytes: [UInt8] = [1, 2, 3]
        #expect(read(server, &bytes, 3) == -1 && (errno == EAGAIN || errno == EWOULDBLOCK))
        #expect(write(client, [7, 8, 9] as [UInt8], 3) == 3)
        #expect(LoopbackSocket.readable([listener, server], milliseconds: -1) == [server])
        #expect(read(server, &bytes, 3) == 3 && bytes == [7, 8, 9])
        LoopbackSocket.shutDown(.sending, of: client)
        #expect(LoopbackSocket.readable([server], milliseconds: -1) == [server])
        #expect(read(server, &bytes, 3) == 0)
        LoopbackSocket.resetWhenClosed(client)
        close(client)
        #expect(LoopbackSocket.readable([server], milliseconds: -1) == [server])
    }

    @Test func `a port in use and a port without a listener are errors`() throws {
        let (descriptor, port) = try LoopbackSocket.bound(to: 0)
        defer { close(descriptor) }
        let inUse = #expect(throws: POSIXError.self) { try LoopbackSocket.bound(to: port) }
        #expect(inUse?.code == .EADDRINUSE)
        let refused = #expect(throws: POSIXError.self) { try LoopbackSocket.connected(to: port) }
        #expect(refused?.code == .ECONNREFUSED)
    }
}
