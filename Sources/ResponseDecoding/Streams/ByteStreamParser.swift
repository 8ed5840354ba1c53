public import Foundation

/// Makes values of bytes that arrive in pieces, without waiting for anything: a state machine.
///
/// *Use* one through ``ParsedSequence``, or by hand: push a piece, take values until there is none, push the next one.
///
/// ```swift
/// var parser = LineParser()
/// parser.push(Data("one\nto".utf8))
/// try parser.next()  // "one"
/// try parser.next()  // nil: the second line is still incomplete
/// ```
///
/// *Implement* it for a format of your own. The borders of the pieces may fall anywhere and must not change what comes
/// out. What is kept between two pieces must have a limit.
public protocol ByteStreamParser<Output>: Sendable {
    /// What the bytes are made into.
    associatedtype Output

    /// Adds the next bytes of the stream. Take every value before adding more: what is not taken is kept in memory.
    mutating func push(_ bytes: Data)

    /// Says that the stream has ended. What is pushed afterwards does not count.
    mutating func finish()

    /// The next value, or nil when more bytes are needed or, after ``finish()``, when there are no more values.
    /// - Throws: ``StreamDecodingError`` for a part that is wrong. It was passed: the next call goes on behind it.
    mutating func next() throws(StreamDecodingError) -> Output?
}
