import Foundation
import HTTPMessages

/// A response body that passes chunks to its reader and reports its end once.
struct ObservedBody: AsyncSequence, Sendable {
    typealias Completion = @Sendable (_ body: Data, _ error: (any Error)?) -> Void

    /// Reports the end of the body once; on deinit as a cancellation.
    fileprivate final class Reporter: Sendable {
        private struct State {
            var bytes = Data()
            var didEnd: Completion?
        }
        private let state: Watched<State>

        init(_ didEnd: @escaping Completion) { state = Watched(State(didEnd: didEnd)) }

        deinit { end(CancellationError()) }

        func append(_ chunk: Data) { state.update { $0.bytes.append(chunk) } }

        func end(_ error: (any Error)?) {
            let (bytes, didEnd) = state.update { ($0.bytes, $0.didEnd.take()) }
            didEnd?(bytes, error)
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

    /// - Parameter didEnd: called once: with the bytes at the end, with an error, or with `CancellationError` when the
    ///   body is released before its end.
    init(_ chunks: HTTPBodyChunks, didEnd: @escaping Completion) {
        self.chunks = chunks
        reporter = Reporter(didEnd)
    }

    func makeAsyncIterator() -> Iterator { Iterator(chunks.makeAsyncIterator(), reporter) }
}
