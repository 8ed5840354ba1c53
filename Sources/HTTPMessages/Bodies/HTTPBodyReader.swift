public import Foundation

/// Synchronous reader of a body; it may block on the local disk, but on nothing else.
///
/// To generate a body, implement `read(atMost:)` and pass a factory to ``HTTPBody/generated(length:makeReader:)``. One
/// thread at a time uses a reader.
public protocol HTTPBodyReader: AnyObject {
    /// Reads the next bytes.
    /// - Parameter count: maximum number of bytes, at least 1.
    /// - Returns: one to `count` bytes, else the body fails with `bodyLengthMismatch`; nil at the end and on every
    ///   later call.
    func read(atMost count: Int) throws -> Data?
}

/// Checks the number of bytes that a generator's reader returns, which may be implemented outside this package.
final class CheckedReader: HTTPBodyReader {
    private let base: any HTTPBodyReader

    init(_ base: any HTTPBodyReader) { self.base = base }

    /// - Throws: the reader's errors; `HTTPMessageError` (`bodyLengthMismatch`) when it returns no or too many bytes.
    func read(atMost count: Int) throws -> Data? {
        guard let data = try base.read(atMost: count) else { return nil }
        guard (1...max(1, count)).contains(data.count) else {
            throw HTTPMessageError(
                .bodyLengthMismatch, "Body reader returned \(data.count) bytes; expected 1 to \(count).")
        }
        return data
    }
}

/// Reads bytes in memory.
final class DataReader: HTTPBodyReader {
    private var rest: Data

    init(_ data: Data) { rest = data }

    func read(atMost count: Int) -> Data? {
        guard !rest.isEmpty else { return nil }
        let piece = rest.prefix(max(1, count))
        rest = rest.dropFirst(piece.count)
        return piece
    }
}

/// Reads concatenated bodies; opens each one when the previous one ends.
final class SequenceReader: HTTPBodyReader {
    private var bodies: ArraySlice<HTTPBody>
    private var current: (any HTTPBodyReader)?

    init(_ bodies: [HTTPBody]) { self.bodies = bodies[...] }

    func read(atMost count: Int) throws -> Data? {
        while true {
            if let data = try current?.read(atMost: count) { return data }
            guard let next = bodies.popFirst() else { return nil }
            current = try next.makeReader()
        }
    }
}
