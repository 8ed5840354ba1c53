import Foundation
import HTTPMessages
import Testing

/// Reader that counts down in single bytes.
final class CountdownReader: HTTPBodyReader {
    private var rest: UInt8

    init(from start: UInt8) { rest = start }

    func read(atMost count: Int) -> Data? {
        guard rest > 0 else { return nil }
        defer { rest -= 1 }
        return Data([rest])
    }
}

/// A stream of strings.
func stream(_ texts: String..., length: Int64? = nil) -> HTTPBody {
    let chunks = AsyncStream<Data> { continuation in
        for text in texts { continuation.yield(Data(text.utf8)) }
        continuation.finish()
    }
    return .stream(chunks, length: length)
}

@Suite struct HTTPBodyTests {
    private static let generated = HTTPBody.generated(length: 3) { CountdownReader(from: 3) }

    @Test func `each kind of body has the correct length`() {
        #expect(HTTPBody.empty.length == 0)
        #expect(HTTPBody.bytes(Data()).length == 0)
        #expect(HTTPBody.text("ä").length == 2)
        #expect(Self.generated.length == 3)
        #expect(HTTPBody.generated { CountdownReader(from: 3) }.length == nil)
        #expect(stream("a").length == nil)
        #expect(stream("a", length: 1).length == 1)
        #expect(HTTPBody.sequence([.text("ab"), .empty, Self.generated]).length == 5)
        #expect(HTTPBody.sequence([.text("ab"), stream("a")]).length == nil)
        #expect(HTTPBody.sequence([]).length == 0)
    }

    @Test func `a negative length is unknown`() {
        let huge = HTTPBody.generated(length: .max) { CountdownReader(from: 3) }
        #expect(huge.length == .max)
        #expect(HTTPBody.sequence([huge, .text("a")]).length == nil)
        #expect(HTTPBody.generated(length: -1) { CountdownReader(from: 3) }.length == nil)
        #expect(stream("a", length: -1).length == nil)
    }

    @Test func `a body of zero bytes is not empty`() {
        #expect(HTTPBody.empty.isEmpty)
        #expect(!HTTPBody.bytes(Data()).isEmpty && !HTTPBody.text("").isEmpty && !HTTPBody.sequence([]).isEmpty)
        #expect(!stream().isEmpty)
    }

    @Test func `bytes and text are in memory`() {
        #expect(HTTPBody.bytes(Data([1])).inMemory == Data([1]) && HTTPBody.text("a").inMemory == Data("a".utf8))
        #expect(HTTPBody.bytes(Data()).inMemory == Data() && HTTPBody.empty.inMemory == nil)
        #expect(HTTPBody.sequence([.text("a")]).inMemory == nil && Self.generated.inMemory == nil)
    }

    @Test func `all bodies but streams are replayable`() {
        #expect(HTTPBody.empty.isReplayable && HTTPBody.text("a").isReplayable && Self.generated.isReplayable)
        #expect(HTTPBody.sequence([.text("a"), Self.generated]).isReplayable)
        #expect(!stream("a").isReplayable)
        #expect(!HTTPBody.sequence([.text("a"), .sequence([stream("b")])]).isReplayable)
    }

    @Test func `a reader starts at the first byte, and a stream has none`() throws {
        for _ in 0..<2 { #expect(try Self.generated.makeReader()?.read(atMost: 9) == Data([3])) }
        #expect(try stream("a").makeReader() == nil)
        #expect(try HTTPBody.sequence([.text("a"), stream("b")]).makeReader() == nil)
    }

    @Test func `collect reads up to a limit`() async throws {
        let bodies = [HTTPBody.text("abc"), stream("a", "", "bc"), .sequence([.text("ab"), stream("c")])]
        for body in bodies { #expect(try await body.collect(upTo: 3) == Data("abc".utf8)) }
        #expect(try await HTTPBody.empty.collect(upTo: 0).isEmpty)
        #expect(try await Self.generated.collect() == Data([3, 2, 1]))
        for body in [HTTPBody.text("abcd"), stream("ab", "cd"), Self.generated, .text("abc")] {
            let error = await #expect(throws: HTTPMessageError.self) { try await body.collect(upTo: 2) }
            #expect(error?.code == .bodyLengthMismatch)
        }
    }

    @Test func `descriptions do not show bytes`() {
        #expect("\(HTTPBody.empty)" == "no body")
        #expect("\(HTTPBody.text("sesame"))" == "bytes, 6 bytes")
        #expect("\(stream("sesame"))" == "stream, length unknown")
        #expect("\(Self.generated)" == "generated, 3 bytes")
        #expect("\(HTTPBody.sequence([.text("sesame"), .empty]))" == "2 parts, 6 bytes")
        for body in [HTTPBody.text("sesame"), .sequence([.text("sesame")]), stream("sesame")] {
            #expect(!everyText(of: body).contains("sesame"))
            #expect(!everyText(of: body.chunks()).contains("sesame"))
        }
    }
}
