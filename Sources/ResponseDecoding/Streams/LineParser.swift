public import Foundation

/// Parser of lines in UTF-8.
///
/// A leading byte order mark is dropped, and the last line needs no terminator. After an error, parsing continues with
/// the next line.
public struct LineParser: ByteStreamParser {
    /// Default maximum length of a line: 1 MiB.
    public static let defaultMaximumLength = 1 << 20

    private var lines: LineSplitter
    private let invalidBytes: InvalidBytePolicy

    /// Creates a parser.
    /// - Parameters:
    ///   - ending: the line terminators.
    ///   - invalidBytes: handling of invalid UTF-8.
    ///   - maximumLength: maximum length of a line in bytes, without its terminator.
    public init(
        ending: LineEnding = .lfOrCRLF, invalidBytes: InvalidBytePolicy = .fail,
        maximumLength: Int = LineParser.defaultMaximumLength
    ) {
        lines = LineSplitter(ending: ending, maximumLength: maximumLength)
        self.invalidBytes = invalidBytes
    }

    /// Adds the next bytes. A chunk may end anywhere, even inside a character or line terminator.
    public mutating func push(_ bytes: Data) { lines.push(bytes) }

    /// Marks the end of the stream and of its last line.
    public mutating func finish() { lines.finish(keepingUnendedLine: true) }

    /// Returns the next line without its terminator; nil if more bytes are needed or at the end.
    /// - Throws: ``StreamDecodingError`` (`lineTooLong`; `invalidText`, unless invalid bytes are replaced).
    public mutating func next() throws(StreamDecodingError) -> String? {
        guard let line = try lines.next() else { return nil }
        do {
            return try Charset.utf8.text(of: line.bytes, invalidBytes: invalidBytes)
        } catch {
            throw StreamDecodingError(
                .invalidText,
                "Invalid UTF-8 at byte offset \(error.offset) of the line; use `invalidBytes: .replace` to accept it.",
                line: line.number, linePrefix: line.bytes, byteOffset: error.offset)
        }
    }
}

/// Set of line terminators.
public enum LineEnding: Hashable, Sendable {
    /// LF; a CR before it is part of the line.
    case lf
    /// LF or CRLF; a CR anywhere else is part of the line.
    case lfOrCRLF
    /// LF, CRLF or CR, as in event streams (WHATWG HTML, section 9.2.5).
    case lfOrCRLFOrCR
}
