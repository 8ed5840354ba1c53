public import Foundation
package import HTTPMessages

/// Asynchronous sequence of the values parsed from chunks of bytes.
///
/// Reads the base on demand, and keeps only the current chunk and the parser's state. The base's iterator is released
/// at the end, after an error, and with this sequence's iterator.
///
/// Errors of the base are rethrown unchanged; invalid parts throw ``StreamDecodingError``.
public struct ParsedSequence<Base: AsyncSequence, Parser: ByteStreamParser>: AsyncSequence
where Base.Element == Data {
    /// The output of the parser.
    public typealias Element = Parser.Output
    /// An error of the base, or ``StreamDecodingError``.
    public typealias Failure = any Error

    private let base: Base
    private let parser: Parser
    private let invalidParts: InvalidPartPolicy
    /// The head of the response whose body is the base, if any, which errors name.
    private var head: HTTPResponseHead?

    /// Creates a sequence.
    /// - Parameters:
    ///   - base: chunks of bytes, which may end anywhere.
    ///   - parser: a parser in its initial state; each iterator has its own copy.
    ///   - invalidParts: handling of invalid parts.
    public init(_ base: Base, parser: Parser, invalidParts: InvalidPartPolicy = .fail) {
        self.base = base
        self.parser = parser
        self.invalidParts = invalidParts
    }

    /// The same sequence, whose errors name a response.
    package func naming(_ head: HTTPResponseHead) -> Self {
        var sequence = self
        sequence.head = head
        return sequence
    }

    /// Creates an iterator.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), parser: parser, invalidParts: invalidParts, head: head)
    }

    /// Iterates over the parsed values.
    public struct Iterator: AsyncIteratorProtocol {
        /// Nil once nothing more will be read.
        private var base: Base.AsyncIterator?
        /// The parser after the last value, with additional state such as the last event ID.
        public private(set) var parser: Parser
        private let invalidParts: InvalidPartPolicy
        private let head: HTTPResponseHead?
        private var hasFailed = false

        fileprivate init(
            base: Base.AsyncIterator, parser: Parser, invalidParts: InvalidPartPolicy, head: HTTPResponseHead?
        ) {
            self.base = base
            self.parser = parser
            self.invalidParts = invalidParts
            self.head = head
        }

        /// Returns the next value; nil at the end.
        /// - Throws: errors of the base; ``StreamDecodingError`` unless invalid parts are skipped.
        public mutating func next() async throws -> Parser.Output? { try await next(isolation: #isolation) }

        /// Returns the next value; nil at the end.
        /// - Throws: errors of the base; ``StreamDecodingError`` unless invalid parts are skipped.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Parser.Output? {
            while !hasFailed {
                if let value = try nextParsed() { return value }
                guard base != nil else { return nil }
                try await read(isolation: actor)
            }
            return nil
        }

        private mutating func nextParsed() throws -> Parser.Output? {
            while true {
                do {
                    return try parser.next()
                } catch {
                    var error = error
                    error.head = head
                    guard case .skip(let report) = invalidParts else {
                        fail()
                        throw error
                    }
                    report(error)
                }
            }
        }

        private mutating func read(isolation actor: isolated (any Actor)?) async throws {
            do {
                if let bytes = try await base?.next(isolation: actor) {
                    parser.push(bytes)
                } else {
                    base = nil
                    parser.finish()
                }
            } catch {
                // `finish()` is not called, so that a truncated line does not become the last one.
                fail()
                throw error
            }
        }

        private mutating func fail() {
            base = nil
            hasFailed = true
        }
    }
}

extension ParsedSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension ParsedSequence.Iterator: Sendable {}

/// Handling of invalid parts of a stream, such as a line that is not JSON.
@nonexhaustive public enum InvalidPartPolicy: Sendable {
    /// Throws the error, which ends the sequence and releases its base.
    case fail
    /// Reports the error and continues after the part. The closure is called within `next()` of the iterator.
    case skip(report: @Sendable (StreamDecodingError) -> Void)
}
