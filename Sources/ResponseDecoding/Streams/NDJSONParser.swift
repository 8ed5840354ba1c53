public import Foundation
public import HTTPMessages

/// Parser of newline-delimited JSON: one value per line, blank lines are ignored.
///
/// After an error, parsing continues with the next line.
///
/// ```swift
/// var parser = NDJSONParser(Item.self)
/// parser.push(chunk)
/// while let item = try parser.next() { show(item) }
/// ```
public struct NDJSONParser<Output: Sendable>: ByteStreamParser {
    private var lines: LineSplitter
    private let decoder: JSONTextDecoder<Output>

    private init(maximumLength: Int, decoder: JSONTextDecoder<Output>) {
        lines = LineSplitter(ending: .lfOrCRLF, maximumLength: maximumLength)
        self.decoder = decoder
    }

    /// Adds the next bytes. A chunk may end anywhere.
    public mutating func push(_ bytes: Data) { lines.push(bytes) }

    /// Marks the end of the stream and of its last line.
    public mutating func finish() { lines.finish(keepingUnendedLine: true) }

    /// Returns the next value; nil if more bytes are needed or at the end.
    /// - Throws: ``StreamDecodingError`` (`lineTooLong`, `invalidJSON`, `unexpectedValue`) with the number of the line.
    public mutating func next() throws(StreamDecodingError) -> Output? {
        while let line = try lines.next() {
            if !line.bytes.allSatisfy(\.isJSONWhitespace) { return try decoder.decode(line) }
        }
        return nil
    }
}

extension NDJSONParser where Output == JSONValue {
    /// Creates a parser of any JSON.
    /// - Parameters:
    ///   - type: `JSONValue.self`.
    ///   - maximumLength: maximum length of a line in bytes, without its terminator.
    public init(_ type: JSONValue.Type = JSONValue.self, maximumLength: Int = LineParser.defaultMaximumLength) {
        self.init(maximumLength: maximumLength, decoder: .value)
    }
}

extension NDJSONParser where Output: Decodable {
    /// Creates a parser of a `Decodable` type.
    /// - Parameters:
    ///   - type: the type of each line.
    ///   - coding: strategies for dates, names and others.
    ///   - maximumLength: maximum length of a line in bytes, without its terminator.
    public init(
        _ type: Output.Type = Output.self, coding: JSONCoding = .standard,
        maximumLength: Int = LineParser.defaultMaximumLength
    ) {
        self.init(maximumLength: maximumLength, decoder: .coding(coding))
    }

    /// Creates a parser of a `Decodable` type that uses Foundation's decoder.
    /// - Parameters:
    ///   - type: the type of each line.
    ///   - decoder: do not change its settings afterwards.
    ///   - maximumLength: maximum length of a line in bytes, without its terminator.
    public init(
        _ type: Output.Type = Output.self, decoder: JSONDecoder, maximumLength: Int = LineParser.defaultMaximumLength
    ) {
        self.init(maximumLength: maximumLength, decoder: .foundation(decoder))
    }
}
