public import Foundation
import Synchronization

/// The bytes of a body, chunk by chunk.
public struct HTTPBodyChunks: AsyncSequence, Sendable {
    let body: HTTPBody
    let size: Int

    /// Reads one body from its start.
    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case initial(HTTPBody)
            case reading(any HTTPBodyReader)
            case pulling(OneShotStream.Pull)
            case parts(ArraySlice<HTTPBody>, current: HTTPBodyChunks.Iterator.Box?)
            case finished
        }
        fileprivate final class Box {
            var iterator: Iterator
            init(_ iterator: Iterator) { self.iterator = iterator }
        }

        private var state: State
        private let size: Int

        init(body: HTTPBody, size: Int) {
            state = .initial(body)
            self.size = Swift.max(1, size)
        }

        /// The next chunk, never empty; nil at the end.
        /// - Throws: `HTTPMessageError` (`bodyAlreadyRead`, `unreadableFile`, `bodyLengthMismatch`), or what the
        ///   body's stream or generator throws.
        public mutating func next() async throws -> Data? {
            while true {
                switch state {
                case .initial(let body):
                    state = try open(body)
                case .reading(let reader):
                    if let data = try reader.read(atMost: size) { return data }
                    state = .finished
                case .pulling(let pull):
                    // A stream that failed is let go as well.
                    state = .finished
                    guard let data = try await pull(#isolation) else { continue }
                    state = .pulling(pull)
                    if !data.isEmpty { return data }
                case .parts(var bodies, let current):
                    if let current, let data = try await current.iterator.next() { return data }
                    guard let next = bodies.popFirst() else {
                        state = .finished
                        continue
                    }
                    state = .parts(bodies, current: Box(Iterator(body: next, size: size)))
                case .finished:
                    return nil
                }
            }
        }

        private func open(_ body: HTTPBody) throws -> State {
            if let reader = try body.makeReader() { return .reading(reader) }
            switch body.source {
            case .stream(_, let stream): return .pulling(try stream.claim())
            case .sequence(let bodies): return .parts(bodies[...], current: nil)
            default: return .finished
            }
        }
    }

    /// Starts reading.
    public func makeAsyncIterator() -> Iterator { Iterator(body: body, size: size) }

    /// All bytes at once.
    /// - Throws: what reading throws, and `HTTPMessageError` (`bodyLengthMismatch`) past `limit` bytes.
    public func collect(upTo limit: Int = 64 << 20) async throws -> Data {
        var collected = Data()
        for try await chunk in self {
            guard chunk.count <= limit - collected.count else {
                throw HTTPMessageError(
                    .bodyLengthMismatch, "The body is longer than the limit of \(limit) bytes; raise `collect(upTo:)`.")
            }
            collected.append(chunk)
        }
        return collected
    }
}

/// A stream that gives its chunks to the first who asks and to nobody after that, and keeps nothing of it alive.
package final class OneShotStream: Sendable {
    package typealias Pull = (isolated (any Actor)?) async throws -> Data?
    private struct Source: Sendable {
        let makePull: @Sendable () -> Pull
    }
    private let source: Mutex<Source?>

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == Data {
        source = Mutex(
            Source {
                var iterator = chunks.makeAsyncIterator()
                return { isolation in try await iterator.next(isolation: isolation) }
            })
    }

    func claim() throws(HTTPMessageError) -> Pull {
        let claimed = source.withLock { source in
            defer { source = nil }
            return source
        }
        guard let claimed else {
            throw HTTPMessageError(
                .bodyAlreadyRead, "The body is a stream and was read already; use bytes or a file to send it again.")
        }
        return claimed.makePull()
    }
}
