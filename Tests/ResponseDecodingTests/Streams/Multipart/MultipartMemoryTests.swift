import Foundation
import PatchbayTestKit
import ResponseDecoding
import Synchronization
import Testing

/// What the parser holds: the chunks that it has not released, and the bytes that it has copied.
@Suite struct MultipartMemoryTests {
    private static let limit = 64 << 10

    /// The bytes of all chunks that are alive.
    private final class Chunks: Sendable {
        private let count = Atomic(0)
        var heldBytes: Int { count.load(ordering: .relaxed) }

        /// A copy of bytes that counts until it is released.
        func chunk(_ bytes: Data) -> Data {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            memory.copyBytes(from: bytes)
            count.wrappingAdd(bytes.count, ordering: .relaxed)
            guard let start = memory.baseAddress else { return Data() }
            return Data(
                bytesNoCopy: start, count: bytes.count,
                deallocator: .custom { [self] start, size in
                    start.deallocate()
                    count.wrappingSubtract(size, ordering: .relaxed)
                })
        }
    }

    /// A part of 1 MiB, most of it the start of a delimiter, so that most chunks end within one.
    private func body(_ generator: inout SeededGenerator) -> Data {
        let pieces = ["\r\n--boundary", "\r\n--boundar", "\r\n--", "\r\n", "\r", "x", "--boundary--"]
        var content = Data()
        while content.count < 1 << 20 {
            content += Data(pieces[Int.random(in: 0..<pieces.count, using: &generator)].utf8) + [0x78]
        }
        return Data("--boundary\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8) + content.prefix(1 << 20)
            + Data("\r\n--boundary--\r\n".utf8)
    }

    @Test(arguments: [1...7, 1...1000, 30_000...60_001, 63_001...63_001])
    func `a part of 1 MiB needs less than 64 KiB, its current chunk included`(sizes: ClosedRange<Int>) throws {
        var generator = SeededGenerator(seed: 7)
        let body = body(&generator)
        let chunks = Chunks()
        var parser = try MultipartParser(boundary: "boundary")
        var (offset, received, mostHeld, ends) = (0, 0, 0, 0)
        while offset < body.count {
            let size = min(Int.random(in: sizes, using: &generator), body.count - offset)
            let chunk = chunks.chunk(body[offset..<(offset + size)])
            offset += size
            parser.push(chunk)
            let address = UInt(bitPattern: chunk.withUnsafeBytes(\.baseAddress))
            var copied = 0
            while let event = try parser.next() {
                switch event {
                case .head: break
                case .end: ends += 1
                case .bytes(let bytes):
                    received += bytes.count
                    let start = UInt(bitPattern: bytes.withUnsafeBytes(\.baseAddress))
                    if !(address..<(address + UInt(size))).contains(start) { copied += bytes.count }
                }
                mostHeld = max(mostHeld, chunks.heldBytes + copied)
            }
        }
        #expect(ends == 1 && received == 1 << 20)
        #expect(mostHeld < Self.limit)
        _ = consume parser
        #expect(chunks.heldBytes == 0)
    }
}
