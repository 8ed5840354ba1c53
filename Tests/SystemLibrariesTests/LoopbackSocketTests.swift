import Foundation
import SystemLibraries
import Testing

@Suite struct LoopbackSocketTests {
    /// The families of this machine, which may be without IPv6.
    static let families = LoopbackSocket.Family.allCases.filter { family in
        guard let socket = try? LoopbackSocket.bound(to: 0, family) else { return family == .ipv4 }
        return close(socket.descriptor) == 0
    }

    @Test(arguments: families)
    func `connects to a bound port, and sees bytes, the end and errors`(family: LoopbackSocket.Family) throws {
        let (listener, port) = try LoopbackSocket.bound(to: 0, family)
        defer { close(listener) }
        #expect(port > 0)
        #expect(listen(listener, 1) == 0)
        #expect(LoopbackSocket.readable([listener], milliseconds: 0) == [])
        let client = try LoopbackSocket.connected(to: port, family)
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

    @Test(arguments: families)
    func `a port in use and a port without a listener are errors`(family: LoopbackSocket.Family) throws {
        let (descriptor, port) = try LoopbackSocket.bound(to: 0, family)
        defer { close(descriptor) }
        let inUse = #expect(throws: POSIXError.self) { try LoopbackSocket.bound(to: port, family) }
        #expect(inUse?.code == .EADDRINUSE)
        let refused = #expect(throws: POSIXError.self) { try LoopbackSocket.connected(to: port, family) }
        #expect(refused?.code == .ECONNREFUSED)
    }
}
