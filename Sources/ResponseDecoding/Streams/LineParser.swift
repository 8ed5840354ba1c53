public import Foundation

/// Makes lines of bytes in UTF-8.
///
/// A byte order mark at the start is dropped, and a last line needs no ending. After an error the next line follows, so
/// one that is too long or not UTF-8 can be left out.
public struct LineParser: ByteStreamParser {
    /// The most bytes of a line when nothing else is asked for: 1 MiB.
    public static let standardMaximumLength = 1 << 20

    private var lines: LineSplitter
    private let invalidBytes: InvalidBytePolicy

    /// A parser at the start of a stream.
    /// - Parameters:
    ///   - ending: what ends a line.
    ///   - invalidBytes: what to do with bytes that are not UTF-8.
    ///   - maximumLength: the most bytes of a line, without its ending.
    public init(
        ending: LineEnding = .lfOrCRLF, invalidBytes: InvalidBytePolicy = .refused,
        maximumLength: Int = LineParser.standardMaximumLength
    ) {
        lines = LineSplitter(ending: ending, maximumLength: maximumLength)
        self.invalidBytes = invalidBytes
    }

    /// Adds bytes, cut anywhere, within a character or a line ending too.
    public mutating func push(_ bytes: Data) { lines.push(bytes) }

    /// Says that the stream has ended, which ends its last line.
    public mutating func finish() { lines.finish(keepingUnendedLine: true) }

    /// The next line without its ending, or nil when more bytes are needed or there are no more lines.
    /// - Throws: ``StreamDecodingError`` (`lineTooLong`; `invalidText`, unless invalid bytes are replaced).
    public mutating func next() throws(StreamDecodingError) -> String? {
        guard let line = try lines.next() else { return nil }
        do {
            return try Charset.utf8.text(of: line.bytes, invalidBytes: invalidBytes)
        } catch {
            throw StreamDecodingError(
                .invalidText, "The line is not valid UTF-8: invalid byte at offset \(error.offset).",
                line: line.number, linePrefix: line.bytes, byteOffset: error.offset)
        }
    }
}
