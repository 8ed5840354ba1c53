import Foundation
import HTTPMessages
import ResponseDecoding
import Synchronization
import Testing

@Suite struct ParsedSequenceTests {
    private func collect<Sequence: AsyncSequence>(_ sequence: Sequence) async throws -> [Sequence.Element] {
        var values: [Sequence.Element] = []
        for try await value in sequence { values.append(value) }
        return values
    }

    @Test func `values are in order, including the last line`() async throws {
        let bytes = WatchedBytes(["a\nb", "", "c\r", "\nd"])
        #expect(try await collect(bytes.lines()) == ["a", "bc", "d"])
        #expect(bytes.log.read == 5)
        #expect(bytes.log.alive == 0)
        // A second iterator starts at the beginning.
        #expect(try await collect(bytes.lines()) == ["a", "bc", "d"])
    }

    @Test func `the base is read on demand`() async throws {
        let bytes = WatchedBytes(["a\nb\n", "c\n"])
        var iterator = bytes.lines().makeAsyncIterator()
        #expect(bytes.log.read == 0)
        #expect(try await iterator.next() == "a")
        #expect(try await iterator.next() == "b")
        #expect(bytes.log.read == 1)
        #expect(try await iterator.next() == "c")
        #expect(bytes.log.read == 2)
    }

    @Test func `leaving the loop releases the base`() async throws {
        let bytes = WatchedBytes(["a\n", "b\n", "c\n"])
        for try await line in bytes.lines() where line == "b" { break }
        #expect(bytes.log.read == 2)
        #expect(bytes.log.alive == 0)
    }

    @Test func `the end releases the base and is final`() async throws {
        let bytes = WatchedBytes(["a"])
        var iterator = bytes.lines().makeAsyncIterator()
        #expect(bytes.log.alive == 1)
        #expect(try await iterator.next() == "a")
        #expect(bytes.log.alive == 0)
        for _ in 0..<3 { #expect(try await iterator.next() == nil) }
        #expect(bytes.log.read == 2)
    }

    @Test func `an error of the parser ends the sequence and releases the base`() async throws {
        let bytes = WatchedBytes(["1\nx\n2\n", "3\n"])
        var iterator = bytes.ndjson(as: Int.self).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        await #expect(throws: StreamDecodingError.self) { try await iterator.next() }
        #expect(bytes.log.alive == 0)
        #expect(try await iterator.next() == nil)
        #expect(bytes.log.read == 1)
    }

    @Test func `an error of the base is rethrown after the values before it`() async throws {
        let bytes = WatchedBytes(["a\nb", "c"], breakingOff: BrokenOff())
        var iterator = bytes.lines().makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        await #expect(throws: BrokenOff()) { try await iterator.next() }
        #expect(bytes.log.alive == 0)
        // A truncated line is not a value.
        #expect(try await iterator.next() == nil)
        #expect(bytes.log.read == 3)
    }

    @Test func `invalid parts are reported and skipped`() async throws {
        let reported = Mutex<[Int]>([])
        let bytes = WatchedBytes(["1\nx\n2", "\n\n", "{\n", "3\nsecret"])
        let values = bytes.ndjson(invalidLines: .skip { error in reported.withLock { $0.append(error.line) } })
        #expect(try await collect(values) == [1, 2, 3])
        #expect(reported.withLock { $0 } == [2, 5, 7])
    }

    @Test func `errors of the base are never skipped`() async throws {
        let bytes = WatchedBytes(["1\n"], breakingOff: BrokenOff())
        await #expect(throws: BrokenOff.self) { try await collect(bytes.ndjson(invalidLines: .skip { _ in })) }
    }

    @Test func `an iterator exposes its parser`() async throws {
        let bytes = WatchedBytes(["retry:5\nid:1\ndata:a\n\n", "id:2\n\n"])
        var iterator = bytes.serverSentEvents().makeAsyncIterator()
        #expect(try await iterator.next()?.lastEventID == "1")
        #expect(iterator.parser.reconnectionTime == .milliseconds(5))
        #expect(iterator.parser.lastEventID == "1")
        #expect(try await iterator.next() == nil)
        #expect(iterator.parser.lastEventID == "2")
    }

    @Test func `cancellation ends the base`() async throws {
        let (bytes, continuation) = AsyncStream.makeStream(of: Data.self)
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        continuation.onTermination = { _ in ended.finish() }
        continuation.yield(Data("a\nb".utf8))
        let reader = Task {
            var lines: [String] = []
            for try await line in bytes.lines() { lines.append(line) }
            return lines
        }
        reader.cancel()
        for await _ in ends {}
        #expect(try await reader.value.first ?? "a" == "a")
    }

    @MainActor @Test func `a sequence can be read on an actor`() async throws {
        var values: [String] = []
        for try await line in WatchedBytes(["a\n", "b\n"]).lines() {
            MainActor.assertIsolated()
            values.append(line)
        }
        #expect(values == ["a", "b"])
    }
}
