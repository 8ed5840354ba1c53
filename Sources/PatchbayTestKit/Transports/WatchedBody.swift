import Foundation
import HTTPMessages

/// The bytes of a body on their way to a reader, and how that ends.
struct WatchedBody: AsyncSequence, Sendable {
    typealias Ending = @Sendable (_ body: Data, _ error: (any Error)?) -> Void

    /// Says that the reader has gone, if nothing else was said before.
    fileprivate final class Farewell: Sendable {
        private struct State {
            var bytes = Data()
            var didEnd: Ending?
        }
        private let state: Watched<State>

        init(_ didEnd: @escaping Ending) { state = Watched(State(didEnd: didEnd)) }

        deinit { say(CancellationError()) }

        func passed(_ chunk: Data) { state.update { $0.bytes.append(chunk) } }

        func say(_ error: (any Error)?) {
            let (bytes, didEnd) = state.update { ($0.bytes, $0.didEnd.take()) }
            didEnd?(bytes, error)
        }
    }

    struct Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPBodyChunks.Iterator
        private let farewell: Farewell

        fileprivate init(_ chunks: HTTPBodyChunks.Iterator, _ farewell: Farewell) {
            self.chunks = chunks
            self.farewell = farewell
        }

        mutating func next() async throws -> Data? {
            do {
                let chunk = try await chunks.next()
                if let chunk { farewell.passed(chunk) } else { farewell.say(nil) }
                return chunk
            } catch {
                farewell.say(error)
                throw error
            }
        }
    }

    private let chunks: HTTPBodyChunks
    private let farewell: Farewell

    /// - Parameter didEnd: called once: with the bytes at the end, with an error, or with `CancellationError` when the
    ///   reader has gone before.
    init(_ chunks: HTTPBodyChunks, didEnd: @escaping Ending) {
        self.chunks = chunks
        farewell = Farewell(didEnd)
    }

    func makeAsyncIterator() -> Iterator { Iterator(chunks.makeAsyncIterator(), farewell) }
}
