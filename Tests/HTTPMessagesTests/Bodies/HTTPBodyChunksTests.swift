import Foundation
import HTTPMessages
import TestSupport
import Testing

@Suite(.needsSlot) struct HTTPBodyChunksTests {
    private struct Fault: Error {}

    private func texts(_ body: HTTPBody, of size: Int = 65_536) async throws -> [String] {
        var texts: [String] = []
        for try await chunk in body.chunks(of: size) { texts.append(String(decoding: chunk, as: UTF8.self)) }
        return texts
    }

    @Test func `bytes are split into chunks, chunks of streams are unchanged`() async throws {
        #expect(try await texts(.text("abcde"), of: 2) == ["ab", "cd", "e"])
        #expect(try await texts(.text("ab"), of: 0) == ["a", "b"])
        #expect(try await texts(.text("ab"), of: -1) == ["a", "b"])
        #expect(try await texts(stream("abc", "", "d"), of: 2) == ["abc", "d"])
        #expect(try await texts(.empty).isEmpty)
        #expect(try await texts(.bytes(Data())).isEmpty)
        #expect(try await texts(stream()).isEmpty)
    }

    @Test func `sequences may contain streams at any depth`() async throws {
        let body = HTTPBody.sequence([.text("abc"), .sequence([stream("d", "ef"), .empty]), .text("g"), stream("h")])
        #expect(try await texts(body, of: 2) == ["ab", "c", "d", "ef", "g", "h"])
    }

    @Test func `a stream can be read only once`() async throws {
        let body = stream("a", "b")
        var first = body.chunks().makeAsyncIterator()
        #expect(try await first.next() == Data("a".utf8))
        for again in [body, .sequence([body])] {
            let error = await #expect(throws: HTTPMessageError.self) { try await texts(again) }
            #expect(error?.code == .bodyAlreadyRead)
        }
        #expect(try await first.next() == Data("b".utf8))
        #expect(try await first.next() == nil)
        #expect(try await first.next() == nil)
    }

    @Test func `creating a chunk sequence does not claim the stream`() async throws {
        let body = stream("a")
        _ = body.chunks().makeAsyncIterator()
        #expect(try await texts(body) == ["a"])
    }

    @Test func `only one of many concurrent readers gets the stream`() async throws {
        let body = stream("a")
        let counts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { (try? await texts(body).count) ?? 0 } }
            return await group.reduce(0, +)
        }
        #expect(counts == 1)
    }

    @Test func `a replayable body can be read repeatedly`() async throws {
        let body = HTTPBody.sequence([.text("a"), .generated { CountdownReader(from: 1) }])
        for _ in 0..<3 { #expect(try await texts(body) == ["a", "\u{1}"]) }
    }

    @Test func `errors of streams and generators are rethrown`() async throws {
        let chunks = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("a".utf8))
            continuation.finish(throwing: Fault())
        }
        let body = HTTPBody.stream(chunks)
        var iterator = body.chunks().makeAsyncIterator()
        #expect(try await iterator.next() == Data("a".utf8))
        await #expect(throws: Fault.self) { try await iterator.next() }
        await #expect(throws: Fault.self) { try await texts(.generated { throw Fault() }) }
        await #expect(throws: Fault.self) { try await texts(.sequence([.text("a"), .generated { throw Fault() }])) }
    }

    @Test func `a file removed after creation of the body is an error`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        try Data("0123".utf8).write(to: file)
        let body = HTTPBody.sequence([stream("a"), try .file(at: file)])
        try FileManager.default.removeItem(at: file)
        let error = await #expect(throws: HTTPMessageError.self) { try await texts(body) }
        #expect(error?.code == .unreadableFile)
    }
}
