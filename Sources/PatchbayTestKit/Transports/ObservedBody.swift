import Foundation
import HTTPMessages

/// A response body that passes chunks to its reader, keeps them, and reports its end once.
struct ObservedBody: AsyncSequence, Sendable {
    /// - Parameter isCut: true if there were more bytes than the limit, of which no further chunk is kept.
    typealias Completion = @Sendable (_ chunks: [Data], _ isCut: Bool, _ error: (any Error)?) -> Void

    /// Reports the end of the body once; on deinit as a cancellation.
    fileprivate final class Reporter: Sendable {
        private struct State {
            var chunks: [Data] = []
            /// The bytes that may still be kept; negative after more.
            var rest: Int
            var didEnd: Completion?
        }
        private let state: Watched<State>

        init(_ limit: Int, _ didEnd: @escaping Completion) { state = Watched(State(rest: limit, didEnd: didEnd)) }

        deinit { end(CancellationError()) }

        func append(_ chunk: Data) {
            state.update { state in
                guard state.rest >= 0 else { return }
                state.rest -= chunk.count
                if state.rest >= 0 { state.chunks.append(chunk) }
            }
        }

        func end(_ error: (any Error)?) {
            let (chunks, isCut, didEnd) = state.update { ($0.chunks, $0.rest < 0, $0.didEnd.take()) }
            didEnd?(chunks, isCut, error)
        }
    }

    struct Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPBodyChunks.Iterator
        private let reporter: Reporter

        fileprivate init(_ chunks: HTTPBodyChunks.Iterator, _ reporter: Reporter) {
            self.chunks = chunks
            self.reporter = reporter
        }

        mutating func next() async throws -> Data? {
            do {
                let chunk = try await chunks.next()
                if let chunk { reporter.append(chunk) } else { reporter.end(nil) }
                return chunk
            } catch {
                reporter.end(error)
                throw error
            }
        }
    }

    private let chunks: HTTPBodyChunks
    private let reporter: Reporter

    /// - Parameters:
    ///   - limit: maximum bytes to keep.
    ///   - didEnd: called once: with the chunks at the end, with an error, or with `CancellationError` when the
    ///     body is released before its end.
    init(_ chunks: HTTPBodyChunks, limit: Int = .max, didEnd: @escaping Completion) {
        self.chunks = chunks
        reporter = Reporter(limit, didEnd)
    }

    func makeAsyncIterator() -> Iterator { Iterator(chunks.makeAsyncIterator(), reporter) }
}
