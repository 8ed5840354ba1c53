public import Foundation

/// Incremental (push) parser of bytes: a state machine without I/O.
///
/// *Use* one through ``ParsedSequence``, or directly: push a chunk, call ``next()`` until it returns nil, push the next
/// one.
///
/// ```swift
/// var parser = LineParser()
/// parser.push(Data("one\nto".utf8))
/// try parser.next()  // "one"
/// try parser.next()  // nil: the second line is still incomplete
/// ```
///
/// *Implement* it for your own format. Chunk boundaries may fall anywhere and must not change the output. Bound the
/// memory that is kept between two chunks.
public protocol ByteStreamParser<Output>: Sendable {
    /// The type of the parsed values.
    associatedtype Output

    /// Adds the next bytes of the stream. Call ``next()`` until nil first: unread bytes are kept in memory.
    mutating func push(_ bytes: Data)

    /// Marks the end of the stream. Bytes pushed afterwards are ignored.
    mutating func finish()

    /// Returns the next value; nil if more bytes are needed or, after ``finish()``, at the end.
    /// - Throws: ``StreamDecodingError`` for an invalid part. The next call continues after it.
    mutating func next() throws(StreamDecodingError) -> Output?
}
