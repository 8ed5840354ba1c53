import Foundation
import HTTPMessages

/// The body of a stream whose beginning was read already: a reader gets all of it.
struct PeekedBody: AsyncSequence, Sendable {
    // Unchecked but right: `peek` ends before there is a sequence, and the stream of a response is read once.
    fileprivate final class Reader: @unchecked Sendable {
        var beginning: [Data] = []
        var rest: HTTPBodyChunks.Iterator
        init(_ body: HTTPBodyChunks) { rest = body.makeAsyncIterator() }
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: Reader

        mutating func next() async throws -> Data? {
            reader.beginning.isEmpty ? try await reader.rest.next() : reader.beginning.removeFirst()
        }
    }

    fileprivate let reader: Reader

    func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    /// Reads the beginning of a body, with at least `count` bytes unless the body ends before.
    static func peek(_ body: HTTPBodyChunks, _ count: Int) async throws -> (beginning: Data, body: PeekedBody) {
        let reader = Reader(body)
        var beginning = Data()
        while beginning.count < count, let chunk = try await reader.rest.next() {
            beginning.append(chunk)
            reader.beginning.append(chunk)
        }
        return (beginning, PeekedBody(reader: reader))
    }
}
