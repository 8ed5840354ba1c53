import Foundation
import HTTPMessages
import RequestModel
import Synchronization
import SystemLibraries
import TestSupport
import Testing

@Suite(.needsSlot) struct ContentCodingTests {
    private let text = Data(String(repeating: "All work and no play. ", count: 20_000).utf8)

    @Test func `bytes have a known length`() async throws {
        let body = try RequestBody.bytes(text).encoded(.gzip)
        #expect(body.codings == [.gzip])
        #expect(body.mediaType == .octetStream)
        let packed = try await body.content.collect()
        #expect(body.content.length == Int64(packed.count))
        #expect(packed.count < text.count / 20)
        #expect(try Inflater.inflate(packed) == text)
        #expect(body.content.isReplayable)
    }

    @Test func `files are encoded while sent and are replayable`() async throws {
        let file = try TemporaryFile(text)
        let body = try ContentCoding.gzip.encode(.file(at: file.url))
        #expect(body.length == nil && body.isReplayable)
        for _ in 0..<2 { #expect(try Inflater.inflate(await body.collect()) == text) }
    }

    @Test func `sequences and generated bodies are encoded while sent`() async throws {
        let file = try TemporaryFile(text)
        let parts = try [HTTPBody.text("head"), .file(at: file.url), .empty, .text("tail")]
        let body = try ContentCoding.gzip.encode(.sequence(parts))
        #expect(body.isReplayable)
        #expect(try Inflater.inflate(await body.collect()) == Data("head".utf8) + text + Data("tail".utf8))
    }

    @Test func `streams stay streams`() async throws {
        let pieces = stride(from: 0, to: text.count, by: 9999).map { text[$0..<min($0 + 9999, text.count)] }
        let stream = AsyncStream<Data> { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish()
        }
        let body = try ContentCoding.gzip.encode(.stream(stream, length: Int64(text.count)))
        #expect(!body.isReplayable && body.length == nil)
        #expect(try Inflater.inflate(await body.collect()) == text)
        await #expect(throws: HTTPMessageError.self) { _ = try await body.collect() }
    }

    /// Numbers as they are asked for, which are counted.
    private struct Counted: AsyncSequence, AsyncIteratorProtocol, Sendable {
        final class Count: Sendable {
            let value = Mutex(0)
        }

        let count = Count()

        func next() async -> Int? {
            count.value.withLock { value in
                value += 1
                return value <= 100 ? value : nil
            }
        }

        func makeAsyncIterator() -> Counted { self }
    }

    // A producer may wait for the response to an element before it makes the next one.
    @Test func `each element of a stream can be decoded before the next is asked for`() async throws {
        let numbers = Counted()
        let inflater = try Inflater()
        var chunks = try RequestBody.ndjson(numbers).encoded(.gzip).content.chunks().makeAsyncIterator()
        for number in 1...100 {
            var text = Data()
            while text.last != 0x0A, let chunk = try await chunks.next() {
                inflater.supply(chunk)
                while let piece = try inflater.read(atMost: 100) { text.append(piece) }
            }
            #expect(text == Data("\(number)\n".utf8))
            #expect(numbers.count.value.withLock(\.self) == number)
        }
        while let chunk = try await chunks.next() {
            inflater.supply(chunk)
            #expect(try inflater.read(atMost: 100) == nil)
        }
        inflater.finish()
        #expect(try inflater.read(atMost: 100) == nil)
    }

    @Test func `a stream that fails fails the body`() async throws {
        struct Broken: Error {}
        let stream = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("some".utf8))
            continuation.finish(throwing: Broken())
        }
        let body = try ContentCoding.gzip.encode(.stream(stream))
        await #expect(throws: Broken.self) { _ = try await body.collect() }
    }

    @Test func `empty body stays empty`() throws {
        #expect(try ContentCoding.gzip.encode(.empty).isEmpty)
        let none = try RequestBody.empty.encoded(.gzip)
        #expect(none.isEmpty && none.codings.isEmpty)
        #expect(try !RequestBody.bytes(Data()).encoded(.gzip).isEmpty)
    }

    @Test(arguments: [0, 9, -5, 100, .max, .min]) func `every level works`(level: Int) async throws {
        let body = try ContentCoding.gzip.encode(.bytes(text), level: level)
        #expect(try Inflater.inflate(await body.collect()) == text)
    }

    @Test func `readers respect the count`() throws {
        let file = try TemporaryFile(text)
        let reader = try #require(try ContentCoding.gzip.encode(.file(at: file.url)).makeReader())
        var packed = Data()
        while let piece = try reader.read(atMost: 10) {
            #expect((1...10).contains(piece.count))
            packed.append(piece)
        }
        #expect(try reader.read(atMost: 10) == nil)
        #expect(try Inflater.inflate(packed) == text)
    }

    #if os(Linux) || os(macOS)
        @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gzip")))
        func `gzip itself reads it`() async throws {
            let source = try TemporaryFile(text)
            for body in [HTTPBody.bytes(text), try .file(at: source.url)] {
                let packed = try TemporaryFile(await ContentCoding.gzip.encode(body).collect())
                let input = try FileHandle(forReadingFrom: packed.url)
                #expect(try await ChildProcess.run("/usr/bin/gzip", ["-t"], input: input) == .exited(0))
            }
        }
    #endif
}
