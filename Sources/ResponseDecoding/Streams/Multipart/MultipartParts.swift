public import Foundation

/// Asynchronous sequence of the parts of a multipart body.
///
/// Reads the base on demand. The next part skips what was not read of the current one.
///
/// ```swift
/// for try await part in try stream.parts() {
///     for try await chunk in part.content { save(chunk, as: part.fileName) }
/// }
/// ```
public struct MultipartParts<Base: AsyncSequence>: AsyncSequence where Base.Element == Data {
    /// A part, with its content as it arrives.
    public typealias Element = MultipartPart
    /// An error of the base, or ``StreamDecodingError``.
    public typealias Failure = any Error

    private let events: ParsedSequence<Base, MultipartParser>

    /// Creates a sequence.
    /// - Parameters:
    ///   - base: chunks of bytes, which may end anywhere.
    ///   - parser: a parser in its initial state.
    public init(_ base: Base, parser: MultipartParser) { events = ParsedSequence(base, parser: parser) }

    /// Creates an iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: MultipartReader(events.makeAsyncIterator())) }

    /// Iterates over the parts.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: MultipartReader<Base>

        /// Returns the next part; nil at the end.
        /// - Throws: errors of the base; ``StreamDecodingError``.
        public mutating func next() async throws -> MultipartPart? { try await next(isolation: #isolation) }

        /// Returns the next part as ``next()`` does, on the executor of the reader's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> MultipartPart? {
            try await reader.nextPart(isolation: actor)
        }
    }
}

extension MultipartParts: Sendable where Base: Sendable {}

@available(*, unavailable)
extension MultipartParts.Iterator: Sendable {}

/// The position in a body, shared by the iterator of its parts and the content of the current part.
private final class MultipartReader<Base: AsyncSequence>: MultipartContentSource where Base.Element == Data {
    /// Nil while a chunk is read.
    private var events: ParsedSequence<Base, MultipartParser>.Iterator?
    private var current = 0
    private var isInPart = false

    init(_ events: ParsedSequence<Base, MultipartParser>.Iterator) { self.events = events }

    func nextPart(isolation actor: isolated (any Actor)?) async throws -> MultipartPart? {
        while let event = try await nextEvent(isolation: actor) {
            guard case .head(let head) = event else { continue }
            current = head.number
            isInPart = true
            return MultipartPart(head: head, content: MultipartPart.Content(source: self, part: head.number))
        }
        return nil
    }

    func nextChunk(of part: Int, isolation actor: isolated (any Actor)?) async throws -> Data? {
        guard part == current else { throw skipped(part) }
        guard isInPart else { return nil }
        if case .bytes(let bytes) = try await nextEvent(isolation: actor) { return bytes }
        isInPart = false
        return nil
    }

    private func nextEvent(isolation actor: isolated (any Actor)?) async throws -> MultipartEvent? {
        // Taken out while it is read: another task of the same actor may call meanwhile.
        guard var events else { throw skipped(current) }
        self.events = nil
        defer { self.events = events }
        return try await events.next(isolation: actor)
    }

    private func skipped(_ part: Int) -> StreamDecodingError {
        var error = StreamDecodingError(
            .partSkipped,
            "Content is no longer available; read it before the next part is requested, in one task at a time.",
            line: 0)
        error.part = part
        return error
    }
}
