import Testing

@testable import CurlTransport

@Suite struct MultiplexedConnectionsTests {
    @Test func `closed connections are forgotten`() throws {
        var table = SocketTable()
        func open(_ descriptor: CInt) throws -> SocketTable.ID {
            table.open(descriptor)
            return try #require(table.connection(of: descriptor))
        }
        var connections = MultiplexedConnections()
        let kept = try open(3)
        connections.set(kept, of: "kept") { _ in true }
        for number in 0..<10_000 {
            let next = try open(4)
            connections.set(next, of: "\(number)") { table.connection(of: $0.descriptor) == $0 }
            #expect(connections["\(number)"] == next && connections.count <= 66)
        }
        #expect(connections["kept"] == kept)
        let removed = connections.remove("kept")
        #expect(removed == kept && connections["kept"] == nil)
    }
}
