import Foundation
import Glibc
import Testing

@testable import CurlTransport

@Suite struct HeldSocketsTests {
    /// The two ends of a connection.
    private struct Connection {
        let client: CInt
        let server: CInt

        init() throws {
            var ends: [CInt] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            (client, server) = (ends[0], ends[1])
        }

        func close() {
            _ = Glibc.close(client)
            _ = Glibc.close(server)
        }
    }

    /// Reads what has arrived; nil at the end of the connection.
    private func read(_ descriptor: CInt) -> [UInt8]? {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0, result.isEmpty { return nil }
            guard count > 0 else { return result }
            result += buffer[..<count]
        }
    }

    /// Writes until there is no room.
    private func fill(_ descriptor: CInt, from first: UInt8 = 0) -> [UInt8] {
        var result: [UInt8] = []
        while true {
            let next = [UInt8](repeating: first &+ UInt8(truncatingIfNeeded: result.count >> 10), count: 1024)
            let count = send(descriptor, next, next.count, 0)
            guard count > 0 else { return result }
            result += next[..<count]
        }
    }

    @Test func `a held socket has no bytes to read, and keeps what is written for its return`() throws {
        let connection = try Connection()
        defer { connection.close() }
        var held = HeldSockets()
        #expect(!held.hasReady && !held.contains(connection.client))
        _ = send(connection.server, "hello", 5, 0)
        let isHeld = held.hold(connection.client)
        #expect(isHeld)
        #expect(held.hasReady && held.contains(connection.client))
        #expect(read(connection.client) == [])
        _ = send(connection.client, "first", 5, 0)
        #expect(read(connection.server) == [])
        let released = held.release()
        #expect(released.free == [connection.client] && released.blocked.isEmpty && !held.hasReady)
        #expect(read(connection.server) == Array("first".utf8))
        #expect(read(connection.client) == Array("hello".utf8))
    }

    @Test func `a socket whose server does not read is held until it does, and loses no byte`() throws {
        let connection = try Connection()
        defer { connection.close() }
        var held = HeldSockets()
        let before = fill(connection.client)
        let isHeld = held.hold(connection.client)
        #expect(isHeld)
        let during = fill(connection.client, from: 100)
        #expect(!before.isEmpty && !during.isEmpty)
        var released = held.release()
        #expect(released.free.isEmpty && released.blocked.count == 1 && !held.hasReady)
        let isOther = !held.unblock(connection.client)
        #expect(held.contains(connection.client) && isOther)
        var received: [UInt8] = []
        for _ in 0..<1000 where !released.blocked.isEmpty {
            received += try #require(read(connection.server))
            let isUnblocked = held.unblock(released.blocked[0])
            #expect(isUnblocked && held.hasReady)
            released = held.release()
        }
        #expect(released.free == [connection.client])
        received += try #require(read(connection.server))
        #expect(received == before + during)
    }

    @Test func `a forgotten socket is closed`() throws {
        let connection = try Connection()
        defer { connection.close() }
        var held = HeldSockets()
        let isHeld = held.hold(connection.client)
        #expect(isHeld)
        held.forgetAll()
        #expect(!held.contains(connection.client) && !held.hasReady)
        #expect(read(connection.server) == nil && read(connection.client) == nil)
    }
}
