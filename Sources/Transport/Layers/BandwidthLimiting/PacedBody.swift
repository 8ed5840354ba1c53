import Foundation
import HTTPMessages

/// A body whose bytes pass at the rates of some limiters, in pieces.
///
/// A piece is passed on once its time has come, and the next chunk is read only then: that is the back-pressure. The
/// rest of one chunk is all that is kept.
struct PacedBody: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPBodyChunks.Iterator
        private let pace: Pace
        private let direction: Bandwidth.Direction
        private let head: HTTPResponseHead?
        private let hold: UploadHold?
        private var rest = Data()

        fileprivate init(_ body: PacedBody) {
            chunks = body.chunks.makeAsyncIterator()
            (pace, direction, head, hold) = (body.pace, body.direction, body.head, body.hold)
        }

        mutating func next() async throws -> Data? {
            if rest.isEmpty {
                guard let chunk = try await nextChunk() else { return nil }
                rest = chunk
            }
            let piece = takePiece()
            do {
                try await pace.pass(piece.count, direction, head: head, hold: hold)
            } catch {
                guard direction == .upload else { throw error }
                throw PaceFailure(error: error)
            }
            return piece
        }

        /// The next chunk; a request body that is still sent may fail the response.
        private mutating func nextChunk() async throws -> Data? {
            do { return try await chunks.next() } catch {
                // An engine would take the bare error of a layer outside for one of the body.
                throw direction == .upload ? error : PaceFailure.unwrapped(error)
            }
        }

        private mutating func takePiece() -> Data {
            let size = pace.limiters.compactMap { $0.pieceSize(direction) }.min() ?? rest.count
            guard size < rest.count else {
                defer { rest = Data() }
                return rest
            }
            defer { rest = rest.dropFirst(size) }
            return Data(rest.prefix(size))
        }
    }

    private let chunks: HTTPBodyChunks
    private let pace: Pace
    private let direction: Bandwidth.Direction
    private let head: HTTPResponseHead?
    private let hold: UploadHold?

    /// - Parameter hold: notes the waits of a request body.
    init(
        _ chunks: HTTPBodyChunks, _ direction: Bandwidth.Direction, _ pace: Pace, head: HTTPResponseHead? = nil,
        hold: UploadHold? = nil
    ) {
        (self.chunks, self.direction, self.pace, self.head, self.hold) = (chunks, direction, pace, head, hold)
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}
