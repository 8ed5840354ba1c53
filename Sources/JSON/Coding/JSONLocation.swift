/// Place in a JSON text.
public struct JSONLocation: Hashable, Sendable {
    /// Offset in bytes, starting at 0. Text in UTF-16 or UTF-32 is converted to UTF-8 first.
    public let offset: Int
    /// The number of the line, starting at 1.
    public let line: Int
    /// The number of the byte in its line, starting at 1.
    public let column: Int

    /// Creates a location.
    public init(offset: Int, line: Int, column: Int) {
        self.offset = offset
        self.line = line
        self.column = column
    }

    /// Counts the lines before an offset.
    init(offset: Int, in text: UnsafeBufferPointer<UInt8>) {
        let before = text.prefix(offset)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        self.init(
            offset: offset, line: before.reduce(into: 1) { if $1 == UInt8(ascii: "\n") { $0 += 1 } },
            column: offset - start + 1)
    }
}

extension JSONError {
    /// Creates the error for invalid syntax.
    init(_ stop: JSONScanner.Stop, in text: UnsafeBufferPointer<UInt8>) {
        self.init(
            expected: stop.expected, isAtEnd: stop.offset == text.count,
            at: JSONLocation(offset: stop.offset, in: text))
    }

    /// Creates the error for invalid syntax.
    init(expected: JSONScanner.Expectation, isAtEnd: Bool, at location: JSONLocation) {
        let found = isAtEnd ? "unexpected end, " : ""
        self.init(.invalidSyntax, "Invalid JSON at byte \(location.offset): \(found)expected \(expected.text).")
        self.location = location
    }

    /// Creates the error for a value that its type rejected.
    init(unexpectedValueAt location: JSONLocation) {
        self.init(
            .unexpectedValue,
            "Unexpected value at byte \(location.offset), line \(location.line); see the DecodingError around this one."
        )
        self.location = location
    }
}
