import Foundation
import Testing

@testable import CurlTransport

@Suite struct StagedChunksTests {
    private let pool = ChunkPool()

    /// Bytes that are not repeated within a chunk.
    private func piece(_ number: Int, count: Int) -> Data {
        var data = Data(repeating: UInt8(truncatingIfNeeded: number), count: count)
        data[0] = UInt8(truncatingIfNeeded: number >> 8)
        return data
    }

    private func address(_ data: Data) -> UInt { data.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }

    @Test(arguments: [1, 100, 1 << 10, 16 << 10, 64 << 10, 128 << 10, 200 << 10])
    func `pieces of all sizes arrive in order, however often they are taken`(size: Int) {
        var staged = StagedChunks()
        var sent = Data()
        var received: [Data] = []
        for number in 0..<50 {
            let piece = piece(number, count: size)
            piece.withUnsafeBytes { staged.append($0, pool) }
            sent += piece
            if number % 3 == 2 { received += staged.take() }
        }
        received += staged.take()
        #expect(staged.isEmpty && staged.take().isEmpty)
        #expect(received.allSatisfy { !$0.isEmpty })
        #expect(Data(received.joined()) == sent)
    }

    @Test func `full pieces are joined into chunks, also after some were taken`() {
        var staged = StagedChunks()
        func append(_ count: Int) {
            for _ in 0..<count { piece(1, count: 16 << 10).withUnsafeBytes { staged.append($0, pool) } }
        }
        append(3)
        let first = staged.take()
        append(6)
        #expect((first + staged.take()).map(\.count) == [48 << 10, 80 << 10, 16 << 10])
    }

    @Test func `it is ready with half a megabyte`() {
        var staged = StagedChunks()
        for _ in 0..<31 { piece(1, count: 16 << 10).withUnsafeBytes { staged.append($0, pool) } }
        #expect(!staged.isReady)
        piece(1, count: 16 << 10).withUnsafeBytes { staged.append($0, pool) }
        #expect(staged.isReady)
    }

    @Test func `memory is used again after its last chunk is released, not before`() throws {
        var staged: StagedChunks? = StagedChunks()
        for _ in 0..<8 { piece(1, count: 16 << 10).withUnsafeBytes { staged?.append($0, pool) } }
        var chunks = staged?.take() ?? []
        staged = nil
        let used = address(try #require(chunks.first))
        #expect(address(pool.take().data(0..<128 << 10)) != used)
        chunks = []
        var data = pool.take().data(0..<128 << 10)
        #expect(address(data) == used)
        // The reader may change its chunk.
        data.append(1)
        #expect(data.count == (128 << 10) + 1 && data.last == 1)
        #expect(address(pool.take().data(0..<128 << 10)) == used)
    }
}
