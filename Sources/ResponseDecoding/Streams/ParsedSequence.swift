public import Foundation

/// The values that a parser makes of a sequence of bytes.
///
/// It reads from its base only when a value is asked for and none is left, and holds no more than the piece at hand and
/// what its parser keeps. At the end, after an error, and when its iterator goes away, the base's iterator goes too.
///
/// Errors of the base pass unchanged; what the parser refuses is a ``StreamDecodingError``.
public struct ParsedSequence<Base: AsyncSequence, Parser: ByteStreamParser>: AsyncSequence
where Base.Element == Data {
    /// What the parser makes.
    public typealias Element = Parser.Output
    /// The base's error or ``StreamDecodingError``.
    public typealias Failure = any Error

    private let base: Base
    private let parser: Parser
    private let invalidParts: InvalidPartPolicy

    /// The values of a sequence.
    /// - Parameters:
    ///   - base: the bytes, cut anywhere.
    ///   - parser: a parser at the start of the stream; each iterator has its own copy.
    ///   - invalidParts: what to do with what the parser refuses.
    public init(_ base: Base, parser: Parser, invalidParts: InvalidPartPolicy = .refused) {
        self.base = base
        self.parser = parser
        self.invalidParts = invalidParts
    }

    /// An iterator that starts to read the base.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), parser: parser, invalidParts: invalidParts)
    }

    /// Reads the base piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        /// Nil as soon as nothing will be read any more.
        private var base: Base.AsyncIterator?
        /// The parser as it is after the last value; it may know more, such as the last event's id.
        public private(set) var parser: Parser
        private let invalidParts: InvalidPartPolicy
        private var hasFailed = false

        fileprivate init(base: Base.AsyncIterator, parser: Parser, invalidParts: InvalidPartPolicy) {
            self.base = base
            self.parser = parser
            self.invalidParts = invalidParts
        }

        /// The next value, or nil at the end and ever after.
        /// - Throws: what the base throws; ``StreamDecodingError`` unless invalid parts are skipped.
        public mutating func next() async throws -> Parser.Output? { try await next(isolation: #isolation) }

        /// The next value, or nil at the end and ever after.
        /// - Throws: what the base throws; ``StreamDecodingError`` unless invalid parts are skipped.
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
                    guard case .skipped(let report) = invalidParts else {
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
                // What was cut off is no last line: the parser is not told of an end.
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
