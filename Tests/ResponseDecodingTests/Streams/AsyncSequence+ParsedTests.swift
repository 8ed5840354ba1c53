import Foundation
import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct AsyncSequenceParsedTests {
    /// Custom format: each value is a length byte followed by that many bytes.
    private struct Frames: ByteStreamParser {
        private var rest = Data()
        private var isFinished = false

        mutating func push(_ bytes: Data) { rest.append(bytes) }
        mutating func finish() { isFinished = true }
        mutating func next() throws(StreamDecodingError) -> String? {
            guard let length = rest.first, rest.count > Int(length) else {
                guard isFinished, !rest.isEmpty else { return nil }
                rest = Data()
                throw StreamDecodingError(.invalidText, "The last frame is cut.", line: 0)
            }
            let frame = rest.dropFirst().prefix(Int(length))
            rest = rest.dropFirst(Int(length) + 1)
            return String(decoding: frame, as: UTF8.self)
        }
    }

    private func collect<Sequence: AsyncSequence>(_ sequence: Sequence) async throws -> [Sequence.Element] {
        var values: [Sequence.Element] = []
        for try await value in sequence { values.append(value) }
        return values
    }

    @Test func `lines uses its parameters`() async throws {
        let bytes = WatchedBytes(["a\r", "b\n"])
        #expect(try await collect(bytes.lines()) == ["a\rb"])
        #expect(try await collect(bytes.lines(ending: .lfOrCRLFOrCR)) == ["a", "b"])
        await #expect(throws: StreamDecodingError.self) { try await collect(bytes.lines(maximumLength: 2)) }
        #expect(try await collect(bytes.lines(maximumLength: 2, invalidLines: .skip { _ in })) == [])
        let wrong = WatchedBytes<Never>(pieces: [Data([0xFF])], failure: nil)
        #expect(try await collect(wrong.lines(invalidBytes: .replace)) == ["\u{FFFD}"])
        await #expect(throws: StreamDecodingError.self) { try await collect(wrong.lines()) }
    }

    @Test func `ndjson parses a type or any JSON`() async throws {
        let bytes = WatchedBytes([#"{"name":"a","pri"#, #"ce":1}"#])
        #expect(try await collect(bytes.ndjson(as: Item.self)) == [Item(name: "a", price: 1)])
        #expect(try await collect(bytes.ndjson()) == [["name": "a", "price": 1]])
        #expect(try await collect(bytes.ndjson(as: JSONValue.self)) == [["name": "a", "price": 1]])
        await #expect(throws: StreamDecodingError.self) {
            try await collect(bytes.ndjson(as: Item.self, maximumLength: 5))
        }
        // As JSONValue, 1.0 stays a number; Foundation's decoder would make it an integer.
        #expect(try await collect(WatchedBytes(["1.0"]).ndjson(as: JSONValue.self)) == [.number(1)])
    }

    @Test func `serverSentEvents uses its parameters`() async throws {
        let bytes = WatchedBytes(["data:ab\n", "\ndata:abcdefgh\n\nid:5\ndata:c\n\n"])
        #expect(
            try await collect(
                bytes.serverSentEvents(lastEventID: "4", maximumLength: 7, invalidEvents: .skip { _ in }))
                == [.init(data: "ab", lastEventID: "4"), .init(data: "c", lastEventID: "5")])
        await #expect(throws: StreamDecodingError.self) {
            try await collect(bytes.serverSentEvents(maximumLength: 7))
        }
    }

    @Test func `a custom parser works`() async throws {
        let bytes = WatchedBytes(["\u{2}a", "b\u{1}c\u{0}"])
        #expect(try await collect(bytes.parsed(by: Frames())) == ["ab", "c", ""])
        await #expect(throws: StreamDecodingError.self) {
            try await collect(WatchedBytes(["\u{2}a"]).parsed(by: Frames()))
        }
    }

    @Test func `any sequence of data can be parsed`() async throws {
        let stream = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("a\n".utf8))
            continuation.finish(throwing: BrokenOff())
        }
        await #expect(throws: BrokenOff.self) { try await collect(stream.lines()) }
        let plain = AsyncStream<Data> { continuation in
            continuation.yield(Data("1\n2".utf8))
            continuation.finish()
        }
        #expect(try await collect(plain.ndjson(as: Int.self)) == [1, 2])
    }
}
