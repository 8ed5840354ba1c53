import Testing

@testable import CurlTransport

@Suite struct SocketTableTests {
    private var table = SocketTable()

    @Test mutating func `a connection stays watched between two requests`() {
        table.open(5)
        #expect(table.claim(5, interest: 2, owner: 1) == .add(2))
        #expect(table.claim(5, interest: 1, owner: 1) == .modify(1))
        #expect(table.ready(5, sent: 3) == .act)
        #expect(table.release(5) == .none)
        #expect(table.isReleased(5, by: 1) && !table.isReleased(5, by: 2))
        #expect(table.setIdle(5, sent: 3) == .none && table.idleCount == 1)
        #expect(table.claim(5, interest: 1, owner: 2) == .none && table.idleCount == 0)
    }

    @Test mutating func `an idle connection with bytes to read is retired once`() {
        table.open(5)
        _ = table.claim(5, interest: 1, owner: 1)
        _ = table.release(5)
        _ = table.setIdle(5, sent: 3)
        #expect(table.ready(5, sent: 3) == .retire && table.idleCount == 0)
        #expect(table.ready(5, sent: 3) == .ignore)
        #expect(table.claim(5, interest: 1, owner: 2) == .add(1))
    }

    @Test mutating func `a paused connection is not idle`() {
        table.open(5)
        _ = table.claim(5, interest: 1, owner: 1)
        _ = table.release(5)
        #expect(table.ready(5, sent: 3) == .ignore)
        #expect(table.setIdle(5, sent: 3) == .add(1))
    }

    // libcurl does not announce a transfer that is paused at once.
    @Test mutating func `a connection that has sent a request is not idle`() {
        table.open(5)
        _ = table.claim(5, interest: 1, owner: 1)
        _ = table.release(5)
        _ = table.setIdle(5, sent: 3)
        #expect(table.ready(5, sent: 4) == .ignore && table.idleCount == 0)
        _ = table.setIdle(5, sent: 4)
        #expect(table.setIdle(5, sent: 5) == .none)
        #expect(table.ready(5, sent: 5) == .retire)
    }

    @Test mutating func `without the number of segments no connection is idle`() {
        table.open(5)
        #expect(table.setIdle(5, sent: 0) == .none && table.idleCount == 0)
    }

    // Its descriptor may be another file's by then.
    @Test mutating func `a closed connection is never idle`() {
        table.open(5)
        _ = table.claim(5, interest: 1, owner: 1)
        _ = table.release(5)
        table.close(5)
        #expect(table.setIdle(5, sent: 3) == .none && table.idleCount == 0)
        #expect(table.setIdle(-1, sent: 3) == .none && table.setIdle(1000, sent: 3) == .none)
        #expect(!table.isReleased(5, by: 1))
    }

    @Test mutating func `a connection in use is never idle`() {
        table.open(5)
        _ = table.claim(5, interest: 1, owner: 1)
        #expect(table.setIdle(5, sent: 3) == .none && table.ready(5, sent: 3) == .act)
    }

    // libcurl closes those of its resolver without a word.
    @Test mutating func `other sockets are not watched between two transfers`() {
        #expect(table.claim(7, interest: 1, owner: 1) == .add(1))
        #expect(table.release(7) == .remove)
        #expect(table.claim(7, interest: 1, owner: 1) == .add(1))
    }

    @Test mutating func `a connection differs from the next one with its descriptor`() throws {
        #expect(table.connection(of: 5) == nil)
        table.open(5)
        let first = try #require(table.connection(of: 5))
        _ = table.claim(5, interest: 1, owner: 1)
        _ = table.release(5)
        _ = table.setIdle(5, sent: 3)
        _ = table.ready(5, sent: 4)
        #expect(table.connection(of: 5) == first)
        table.close(5)
        #expect(table.connection(of: 5) == nil)
        table.open(5)
        #expect(table.connection(of: 5) != first)
    }
}
