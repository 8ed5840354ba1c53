package import Foundation
package import HTTPMessages
import Synchronization

/// A body on its way to a reader, for a layer that holds something for as long as it comes.
///
/// Nothing of the body is left when the layer hears that it is over.
package struct HeldBody: AsyncSequence, Sendable {
    /// How it was over.
    package enum Ending: Sendable {
        /// The reader has all of it.
        case whole
        /// It failed, also by cancellation.
        case failed(any Error)
        /// The reader has left before its end.
        case abandoned
    }

    /// What the layer is told, once, and by whom: the reader at the end, or whatever lets go last.
    private final class Hold: Sendable {
        private struct State {
            /// The body until somebody reads it.
            var chunks: HTTPBodyChunks?
            var didEnd: (@Sendable (Ending) -> Void)?
        }
        private let state: Mutex<State>

        init(_ chunks: HTTPBodyChunks, _ didEnd: @escaping @Sendable (Ending) -> Void) {
            state = Mutex(State(chunks: chunks, didEnd: didEnd))
        }

        deinit { end(.abandoned) }

        func open() -> HTTPBodyChunks.Iterator? { state.withLock { $0.chunks.take() }?.makeAsyncIterator() }

        func end(_ ending: Ending) {
            // Let go only now that nobody holds the lock, and before the layer hears of it.
            let (chunks, didEnd) = state.withLock { ($0.chunks.take(), $0.didEnd.take()) }
            _ = consume chunks
            didEnd?(ending)
        }
    }

    /// The reader's part of it.
    package final class Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPBodyChunks.Iterator?
        private let hold: Hold
        private let mapError: @Sendable (any Error) -> any Error

        fileprivate init(_ body: HeldBody) {
            chunks = body.hold.open()
            hold = body.hold
            mapError = body.mapError
        }

        deinit { end(.abandoned) }

        /// The next chunk; nil at the end.
        /// - Throws: what the body throws, as the layer has it.
        package func next() async throws -> Data? {
            guard var reading = chunks.take() else { return nil }
            do {
                if let chunk = try await reading.next() {
                    chunks = reading
                    return chunk
                }
            } catch {
                _ = consume reading
                let error = mapError(error)
                end(.failed(error))
                throw error
            }
            _ = consume reading
            end(.whole)
            return nil
        }

        private func end(_ ending: Ending) {
            chunks = nil
            hold.end(ending)
        }
    }

    private let hold: Hold
    private let mapError: @Sendable (any Error) -> any Error

    fileprivate init(
        _ chunks: HTTPBodyChunks, mapError: @escaping @Sendable (any Error) -> any Error,
        didEnd: @escaping @Sendable (Ending) -> Void
    ) {
        hold = Hold(chunks, didEnd)
        self.mapError = mapError
    }

    package func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension HTTPResponseStream {
    /// This response for the reader of a layer.
    /// - Parameters:
    ///   - didEnd: called once, on any thread: before the reader sees the end, or when the body was let go.
    ///   - mapError: makes the error that the reader gets of the one that ended the body.
    package func held(
        didEnd: @escaping @Sendable (HeldBody.Ending) -> Void = { _ in },
        mapError: @escaping @Sendable (any Error) -> any Error = { $0 }
    ) -> HTTPResponseStream {
        HTTPResponseStream(head: head, body: HeldBody(body, mapError: mapError, didEnd: didEnd))
    }
}
