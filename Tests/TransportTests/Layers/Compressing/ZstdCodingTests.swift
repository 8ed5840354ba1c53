import Foundation
import HTTPMessages
import PatchbayTestKit
import SystemLibraries
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot, .enabled(if: ContentCoding.zstd.isAvailable, "libzstd is not installed.")) struct ZstdCodingTests {
    private typealias Decompress =
        @convention(c) (UnsafeMutableRawPointer, Int, UnsafeRawPointer, Int) -> Int

    private func decompressed(_ data: Data, count: Int) throws -> Data {
        let decompress = try DynamicLibrary("libzstd.so.1").function("ZSTD_decompress", as: Decompress.self)
        var output = Data(count: count + 1)
        let made = output.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                guard let target = output.baseAddress, let source = input.baseAddress else { return -1 }
                return decompress(target, output.count, source, input.count)
            }
        }
        try #require((0...count).contains(made))
        return output.prefix(made)
    }

    @Test(arguments: [0, 1, 1000, 3_000_000])
    func `zstd is decoded by the system's library`(count: Int) async throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 3 ^ ($0 >> 9)) })
        let bodies: [HTTPBody] = [
            .bytes(data), .sequence([.bytes(data.prefix(count / 2)), .bytes(data.dropFirst(count / 2))]),
            .stream(HTTPBody.bytes(data).chunks(of: 1000)),
        ]
        for body in bodies {
            let encoded = try await ContentCoding.zstd.encode(body).collect()
            #expect(try decompressed(encoded, count: count) == data)
            #expect(count <= 1000 || encoded.count < count)
        }
    }

    @Test func `zstd is preferred where both are accepted`() throws {
        let codings = AcceptedCodings()
        codings.receive(
            HTTPResponseHead(
                status: .ok, fields: try HTTPFields(["Accept-Encoding": "gzip, zstd"]),
                url: try URL(httpString: "https://h/")))
        #expect(codings.coding(for: try URL(httpString: "https://h/")) == .zstd)
    }

    private struct Buffer {
        var bytes: UnsafeMutableRawPointer?
        var size: Int
        var position = 0
    }
    private typealias Create = @convention(c) () -> OpaquePointer?
    private typealias Free = @convention(c) (OpaquePointer?) -> Int
    private typealias DecompressStream =
        @convention(c) (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int

    // A producer may wait for the response to a chunk before it makes the next one.
    @Test func `each chunk of a stream can be decoded before the next is asked for`() async throws {
        let library = try DynamicLibrary("libzstd.so.1")
        let decompress = try library.function("ZSTD_decompressStream", as: DecompressStream.self)
        let context = try #require(try library.function("ZSTD_createDStream", as: Create.self)())
        let free = try library.function("ZSTD_freeDStream", as: Free.self)
        defer { _ = free(context) }

        let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: ($0 &* $0) >> 7 ^ $0) })
        let inputs = [Data("1\n".utf8), Data("2\n".utf8), large, Data("3\n".utf8)]
        let asked = Watched(0)
        let stream = AsyncStream {
            let number = asked.update { number in
                number += 1
                return number
            }
            return number <= inputs.count ? inputs[number - 1] : nil
        }
        var chunks = try ContentCoding.zstd.encode(.stream(stream)).chunks().makeAsyncIterator()
        for (index, chunk) in inputs.enumerated() {
            var decoded = Data()
            while decoded.count < chunk.count {
                var encoded = try #require(try await chunks.next())
                var output = Data(count: 1 << 20)
                let made = output.withUnsafeMutableBytes { output in
                    encoded.withUnsafeMutableBytes { input in
                        var source = Buffer(bytes: input.baseAddress, size: input.count)
                        var target = Buffer(bytes: output.baseAddress, size: output.count)
                        _ = decompress(context, &target, &source)
                        return target.position
                    }
                }
                decoded.append(output.prefix(made))
            }
            // A difference of large data takes long to describe.
            let isEqual = decoded == chunk
            #expect(isEqual)
            #expect(asked.value == index + 1)
        }
        #expect(try await chunks.next() != nil)
        #expect(try await chunks.next() == nil)
    }
}
