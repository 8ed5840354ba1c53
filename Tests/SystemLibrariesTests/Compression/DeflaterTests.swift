import Foundation
import SystemLibraries
import Testing

@Suite struct DeflaterTests {
    @Test func `writes the gzip format`() throws {
        let packed = try Deflater.deflate(Data("hello".utf8))
        #expect(packed.prefix(3).elementsEqual([0x1F, 0x8B, 8]))
        // The last four bytes are the length (RFC 1952, section 2.3.1).
        #expect(packed.suffix(4).elementsEqual([5, 0, 0, 0]))
    }

    @Test func `writes the zlib format`() throws {
        let packed = try Deflater.deflate(Data("hello".utf8), as: .zlib)
        #expect(packed.first == 0x78)
        #expect(try Inflater.inflate(packed, as: .zlib) == Data("hello".utf8))
    }

    @Test func `empty input is a valid stream`() throws {
        let packed = try Deflater.deflate(Data())
        #expect(packed.count == 20)
        #expect(try Inflater.inflate(packed) == Data())
    }

    @Test(arguments: [1, 7, 4096, 100_000]) func `chunked input gives the same stream`(size: Int) throws {
        let data = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
        let deflater = try Deflater()
        var packed = Data()
        for start in stride(from: 0, to: data.count, by: size) {
            deflater.supply(data[start..<min(start + size, data.count)])
            while let piece = try deflater.read(atMost: 100) {
                #expect((1...100).contains(piece.count))
                packed.append(piece)
            }
            #expect(!deflater.isAtEnd)
        }
        deflater.finish()
        while let piece = try deflater.read(atMost: 100) { packed.append(piece) }
        #expect(deflater.isAtEnd)
        #expect(try deflater.read(atMost: 100) == nil)
        #expect(try Inflater.inflate(packed) == data)
    }

    @Test(arguments: [1, 100, 65_536, 1_000_000]) func `a flush gives all bytes so far`(size: Int) throws {
        var generator = SystemRandomNumberGenerator()
        let data = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) })
        let (deflater, inflater) = (try Deflater(), try Inflater())
        for _ in 0..<3 {
            deflater.supply(data)
            inflater.supply(try deflater.flush())
            var output = Data()
            while let piece = try inflater.read(atMost: 65_536) { output.append(piece) }
            // A difference of large data takes long to describe.
            let isEqual = output == data
            #expect(isEqual)
            #expect(try deflater.flush().isEmpty)
        }
        deflater.finish()
        while let piece = try deflater.read(atMost: 100) { inflater.supply(piece) }
        inflater.finish()
        #expect(try inflater.read(atMost: 1) == nil)
        #expect(try deflater.isAtEnd && deflater.flush().isEmpty)
    }

    @Test func `invalid level is rejected`() {
        let error = #expect(throws: SystemLibraryError.self) { try Deflater(level: 11) }
        #expect(error?.code == .failed)
        #expect(throws: SystemLibraryError.self) { try Deflater(level: .max) }
    }
}
