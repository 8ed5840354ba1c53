public import Foundation
import Synchronization

/// Asynchronous sequence of a body's chunks.
public struct HTTPBodyChunks: AsyncSequence, Sendable {
    let body: HTTPBody
    let size: Int

    /// Iterates over one body from its start.
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

        /// Returns the next chunk, never empty; nil at the end.
        /// - Throws: `HTTPMessageError` (`bodyAlreadyRead`, `unreadableFile`, `bodyLengthMismatch`), or the error of
        ///   the body's stream or generator.
        public mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        /// Returns the next chunk as ``next()`` does, on the executor of the reader's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            while true {
                switch state {
                case .initial(let body):
                    state = try open(body)
                case .reading(let reader):
                    if let data = try reader.read(atMost: size) { return data }
                    state = .finished
                case .pulling(let pull):
                    // Set before the call, so that a failed stream is released as well.
                    state = .finished
                    guard let data = try await pull(actor) else { continue }
                    state = .pulling(pull)
                    if !data.isEmpty { return data }
                case .parts(var bodies, let current):
                    if let current, let data = try await current.iterator.next(isolation: actor) { return data }
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

    /// Creates an iterator at the start of the body.
    public func makeAsyncIterator() -> Iterator { Iterator(body: body, size: size) }

    /// Reads the whole body into memory.
    /// - Throws: `HTTPMessageError` (`bodyLengthMismatch`) beyond `limit` bytes, default 64 MiB; errors of reading.
    public func collect(upTo limit: Int = 64 << 20) async throws -> Data {
        var collected = Data()
        for try await chunk in self {
            guard chunk.count <= limit - collected.count else {
                throw HTTPMessageError(
                    .bodyLengthMismatch,
                    "Body exceeds the limit of \(limit) bytes; raise the limit of `collect(upTo:)`.")
            }
            collected.append(chunk)
        }
        return collected
    }
}

/// An asynchronous sequence that can be claimed once; after that it holds no reference to the sequence.
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
                .bodyAlreadyRead, "Body stream already read; use bytes or a file if the body must be sent again.")
        }
        return claimed.makePull()
    }
}
