public import Foundation
public import HTTPMessages

/// Parser of JSON text sequences (RFC 7464): each text stands between a record separator, 0x1E, and a line feed.
///
/// A text is returned as soon as its line feed arrives, and may have line breaks within. After an error, parsing
/// continues with the next record separator.
///
/// ```swift
/// var parser = JSONSequenceParser(Item.self)
/// parser.push(chunk)
/// while let item = try parser.next() { show(item) }
/// ```
public struct JSONSequenceParser<Output: Sendable>: ByteStreamParser {
    /// Legal transitions:
    ///
    ///     between   text       at a record separator
    ///     between   skipping   at another byte that is not blank, with an error
    ///     text      between    at the end of the text
    ///     text      skipping   when the text is too long, with an error
    ///     skipping  text       at a record separator
    private enum State {
        case between, text, skipping
    }

    private let decoder: JSONTextDecoder<Output>
    private let maximumLength: Int
    private var state = State.between
    /// Bytes pushed but not scanned.
    private var rest = Data()
    /// The scanned part of the current text, and its end.
    private var text = Data()
    private var extent = JSONTextExtent()
    /// The number of the last text.
    private var number = 0
    /// Offsets in the stream of `rest` and `text`.
    private var offset = 0
    private var textOffset = 0
    private var isFinished = false

    private init(maximumLength: Int, decoder: JSONTextDecoder<Output>) {
        self.maximumLength = max(0, maximumLength)
        self.decoder = decoder
    }

    /// Adds the next bytes. A chunk may end anywhere.
    public mutating func push(_ bytes: Data) {
        guard !isFinished, !bytes.isEmpty else { return }
        guard !rest.isEmpty else { return rest = bytes }
        if rest.startIndex > rest.count { rest = rest.subdata(in: rest.startIndex..<rest.endIndex) }
        rest.append(bytes)
    }

    /// Marks the end of the stream.
    public mutating func finish() { isFinished = true }

    /// Returns the next value; nil if more bytes are needed or at the end.
    /// - Throws: ``StreamDecodingError`` (`incompleteText`, `itemTooLarge`, `invalidJSON`, `unexpectedValue`) with the
    ///   number of the text and the offset in the stream.
    public mutating func next() throws(StreamDecodingError) -> Output? {
        while true {
            if state != .text {
                guard try findText() else { return nil }
            }
            let (count, end) = rest.withUnsafeBytes { extent.scan($0) }
            text.append(rest.prefix(count))
            consume(count)
            if text.count > maximumLength {
                state = .skipping
                throw fail(.itemTooLarge, "Text exceeds the limit of \(maximumLength) bytes; raise `maximumLength`.")
            }
            guard end != nil || isFinished else { return nil }
            state = .between
            if extent.hasContent { return try endText(isCut: end != .blank) }
        }
    }

    /// Consumes the bytes up to a record separator.
    private mutating func findText() throws(StreamDecodingError) -> Bool {
        let separator = rest.firstIndex(of: JSONTextExtent.separator)
        let skipped = rest[..<(separator ?? rest.endIndex)]
        let isStray = state == .between && !skipped.allSatisfy(\.isJSONWhitespace)
        textOffset = offset + skipped.prefix(while: \.isJSONWhitespace).count
        consume(skipped.count)
        if isStray {
            state = .skipping
            text = skipped
            throw fail(.incompleteText, "Text has no record separator (0x1E) before it.")
        }
        guard separator != nil else { return false }
        consume(1)
        state = .text
        text = Data()
        textOffset = offset
        extent = JSONTextExtent()
        return true
    }

    private mutating func endText(isCut: Bool) throws(StreamDecodingError) -> Output {
        guard !isCut || extent.isSelfDelimiting else {
            throw fail(.incompleteText, "Text is cut off: it has no line feed at its end (RFC 7464, section 2.4).")
        }
        number += 1
        defer { text = Data() }
        do {
            return try decoder.decode(LineSplitter.Line(bytes: text, number: 0))
        } catch {
            throw located(error)
        }
    }

    private mutating func consume(_ count: Int) {
        offset += count
        rest = count == rest.count ? Data() : rest.dropFirst(count)
    }

    private mutating func fail(_ code: StreamDecodingError.Code, _ message: String) -> StreamDecodingError {
        number += 1
        defer { text = Data() }
        return located(StreamDecodingError(code, message, line: 0, linePrefix: text))
    }

    /// The error with the number of the text, and its offset in the stream.
    private func located(_ error: StreamDecodingError) -> StreamDecodingError {
        var error = error
        error.part = number
        error.byteOffset = textOffset + (error.byteOffset ?? 0)
        return error
    }
}

extension JSONSequenceParser where Output == JSONValue {
    /// Creates a parser of any JSON.
    /// - Parameters:
    ///   - type: `JSONValue.self`.
    ///   - maximumLength: maximum length of a text in bytes.
    public init(_ type: JSONValue.Type = JSONValue.self, maximumLength: Int = LineParser.defaultMaximumLength) {
        self.init(maximumLength: maximumLength, decoder: .value)
    }
}

extension JSONSequenceParser where Output: Decodable {
    /// Creates a parser of a `Decodable` type.
    /// - Parameters:
    ///   - type: the type of each text.
    ///   - coding: strategies for dates, names and others.
    ///   - maximumLength: maximum length of a text in bytes.
    public init(
        _ type: Output.Type = Output.self, coding: JSONCoding = .standard,
        maximumLength: Int = LineParser.defaultMaximumLength
    ) {
        self.init(maximumLength: maximumLength, decoder: .coding(coding))
    }

    /// Creates a parser of a `Decodable` type that uses Foundation's decoder.
    /// - Parameters:
    ///   - type: the type of each text.
    ///   - decoder: do not change its settings afterwards.
    ///   - maximumLength: maximum length of a text in bytes.
    public init(
        _ type: Output.Type = Output.self, decoder: JSONDecoder, maximumLength: Int = LineParser.defaultMaximumLength
    ) {
        self.init(maximumLength: maximumLength, decoder: .foundation(decoder))
    }
}
