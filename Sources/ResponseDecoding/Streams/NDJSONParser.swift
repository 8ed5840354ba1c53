public import Foundation
public import HTTPMessages

/// Makes values of newline-delimited JSON: each line that is not blank is one value.
///
/// After an error the next line follows, so a bad line can be left out.
///
/// ```swift
/// var parser = NDJSONParser(Item.self)
/// parser.push(chunk)
/// while let item = try parser.next() { show(item) }
/// ```
public struct NDJSONParser<Output: Sendable>: ByteStreamParser {
    private var lines: LineSplitter
    private let value: @Sendable (LineSplitter.Line) throws(StreamDecodingError) -> Output

    private init(
        maximumLength: Int, value: @escaping @Sendable (LineSplitter.Line) throws(StreamDecodingError) -> Output
    ) {
        lines = LineSplitter(ending: .lfOrCRLF, maximumLength: maximumLength)
        self.value = value
    }

    /// Adds bytes, cut anywhere.
    public mutating func push(_ bytes: Data) { lines.push(bytes) }

    /// Says that the stream has ended, which ends its last line.
    public mutating func finish() { lines.finish(keepingUnendedLine: true) }

    /// The next value, or nil when more bytes are needed or there are no more values.
    /// - Throws: ``StreamDecodingError`` (`lineTooLong`, `invalidJSON`, `unexpectedValue`) with the number of the line.
    public mutating func next() throws(StreamDecodingError) -> Output? {
        while let line = try lines.next() {
            if !line.bytes.allSatisfy(\.isJSONBlank) { return try value(line) }
        }
        return nil
    }
}

extension NDJSONParser where Output == JSONValue {
    /// A parser of any JSON.
    /// - Parameters:
    ///   - type: says that any JSON will do.
    ///   - maximumLength: the most bytes of a line, without its ending.
    public init(_ type: JSONValue.Type = JSONValue.self, maximumLength: Int = LineParser.standardMaximumLength) {
        self.init(maximumLength: maximumLength) { (line) throws(StreamDecodingError) in
            try JSONValue(in: line)
        }
    }
}

extension NDJSONParser where Output: Decodable {
    /// A parser of a `Decodable` type's JSON, as strict as Foundation: a comma after the last element passes.
    /// - Parameters:
    ///   - type: what to make of each line.
    ///   - decoder: its settings; do not change them afterwards. Nil means Foundation's defaults.
    ///   - maximumLength: the most bytes of a line, without its ending.
    public init(
        _ type: Output.Type = Output.self, decoder: JSONDecoder? = nil,
        maximumLength: Int = LineParser.standardMaximumLength
    ) {
        let decoder = decoder ?? JSONDecoder()
        self.init(maximumLength: maximumLength) { (line) throws(StreamDecodingError) in
            // Foundation takes a text with zeros for UTF-16 or UTF-32; lines are UTF-8, where JSON has none.
            if line.bytes.contains(0) { _ = try JSONValue(in: line) }
            do {
                return try decoder.decode(Output.self, from: line.bytes)
            } catch {
                throw StreamDecodingError(decoding: error, in: line)
            }
        }
    }
}

extension JSONValue {
    fileprivate init(in line: LineSplitter.Line) throws(StreamDecodingError) {
        do {
            self = try JSONValue(parsing: line.bytes)
        } catch {
            throw StreamDecodingError(fault: error, in: line)
        }
    }
}

extension UInt8 {
    fileprivate var isJSONBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0D }
}
