public import Foundation
public import HTTPMessages

extension AsyncSequence where Element == Data {
    /// Parses these bytes into values.
    /// - Parameters:
    ///   - parser: a parser in its initial state.
    ///   - invalidParts: handling of invalid parts.
    public func parsed<Parser: ByteStreamParser>(
        by parser: Parser, invalidParts: InvalidPartPolicy = .fail
    ) -> ParsedSequence<Self, Parser> {
        ParsedSequence(self, parser: parser, invalidParts: invalidParts)
    }

    /// Splits UTF-8 bytes into lines.
    /// - Parameters:
    ///   - ending: the line terminators.
    ///   - invalidBytes: handling of invalid UTF-8.
    ///   - maximumLength: maximum length of a line in bytes, without its terminator.
    ///   - invalidLines: handling of lines that are too long or invalid UTF-8.
    public func lines(
        ending: LineEnding = .lfOrCRLF, invalidBytes: InvalidBytePolicy = .fail,
        maximumLength: Int = LineParser.defaultMaximumLength, invalidLines: InvalidPartPolicy = .fail
    ) -> ParsedSequence<Self, LineParser> {
        parsed(
            by: LineParser(ending: ending, invalidBytes: invalidBytes, maximumLength: maximumLength),
            invalidParts: invalidLines)
    }

    /// Parses newline-delimited JSON into a `Decodable` type.
    ///
    /// ```swift
    /// for try await item in bytes.ndjson(as: Item.self) { show(item) }
    /// ```
    /// - Parameters:
    ///   - type: the type of each line.
    ///   - coding: strategies for dates, names and others.
    ///   - maximumLength: maximum length of a line in bytes, without its terminator.
    ///   - invalidLines: handling of lines that are too long or cannot be decoded.
    public func ndjson<Value: Decodable & Sendable>(
        as type: Value.Type, coding: JSONCoding = .standard, maximumLength: Int = LineParser.defaultMaximumLength,
        invalidLines: InvalidPartPolicy = .fail
    ) -> ParsedSequence<Self, NDJSONParser<Value>> {
        parsed(by: NDJSONParser(type, coding: coding, maximumLength: maximumLength), invalidParts: invalidLines)
    }

    /// Parses newline-delimited JSON into a `Decodable` type with Foundation's decoder.
    /// - Parameters:
    ///   - type: the type of each line.
    ///   - decoder: do not change its settings afterwards.
    ///   - maximumLength: maximum length of a line in bytes, without its terminator.
    ///   - invalidLines: handling of lines that are too long or cannot be decoded.
    public func ndjson<Value: Decodable & Sendable>(
        as type: Value.Type, decoder: JSONDecoder, maximumLength: Int = LineParser.defaultMaximumLength,
        invalidLines: InvalidPartPolicy = .fail
    ) -> ParsedSequence<Self, NDJSONParser<Value>> {
        parsed(
            by: NDJSONParser(type, decoder: decoder, maximumLength: maximumLength), invalidParts: invalidLines)
    }

    /// Decodes the elements of a JSON array while it arrives; see ``JSONItemParser``.
    ///
    /// ```swift
    /// for try await item in response.body.items(of: Item.self, at: "data.results") { show(item) }
    /// ```
    /// - Parameters:
    ///   - type: the type of each element.
    ///   - path: the names of the members that lead to the array, separated by dots; empty for the whole text.
    ///   - coding: strategies for dates, names and others.
    ///   - maximumLength: maximum bytes of an element.
    ///   - invalidItems: handling of elements that do not match the type. Invalid JSON ends the sequence.
    public func items<Value: Decodable & Sendable>(
        of type: Value.Type, at path: String = "", coding: JSONCoding = .standard,
        maximumLength: Int = LineParser.defaultMaximumLength, invalidItems: InvalidPartPolicy = .fail
    ) -> ParsedSequence<Self, JSONItemParser<Value>> {
        let names = path.split(separator: ".").map(String.init)
        return parsed(
            by: JSONItemParser(type, at: names, coding: coding, maximumLength: maximumLength),
            invalidParts: invalidItems)
    }

    /// Parses newline-delimited JSON into `JSONValue`.
    /// - Parameters:
    ///   - type: `JSONValue.self`.
    ///   - maximumLength: maximum length of a line in bytes, without its terminator.
    ///   - invalidLines: handling of lines that are too long or not JSON.
    public func ndjson(
        as type: JSONValue.Type = JSONValue.self, maximumLength: Int = LineParser.defaultMaximumLength,
        invalidLines: InvalidPartPolicy = .fail
    ) -> ParsedSequence<Self, NDJSONParser<JSONValue>> {
        parsed(by: NDJSONParser(type, maximumLength: maximumLength), invalidParts: invalidLines)
    }

    /// Parses a JSON text sequence (RFC 7464) into a `Decodable` type; see ``JSONSequenceParser``.
    /// - Parameters:
    ///   - type: the type of each text.
    ///   - coding: strategies for dates, names and others.
    ///   - maximumLength: maximum length of a text in bytes.
    ///   - invalidTexts: handling of texts that are cut off, too long or cannot be decoded.
    public func jsonSequence<Value: Decodable & Sendable>(
        of type: Value.Type, coding: JSONCoding = .standard, maximumLength: Int = LineParser.defaultMaximumLength,
        invalidTexts: InvalidPartPolicy = .fail
    ) -> ParsedSequence<Self, JSONSequenceParser<Value>> {
        parsed(
            by: JSONSequenceParser(type, coding: coding, maximumLength: maximumLength), invalidParts: invalidTexts)
    }

    /// Parses an event stream; see ``ServerSentEventParser``.
    /// - Parameters:
    ///   - lastEventID: the last event ID until the stream sends one.
    ///   - maximumLength: maximum bytes of a line, and of an event's type and data together.
    ///   - invalidEvents: handling of events that are too large.
    public func serverSentEvents(
        lastEventID: String = "", maximumLength: Int = LineParser.defaultMaximumLength,
        invalidEvents: InvalidPartPolicy = .fail
    ) -> ParsedSequence<Self, ServerSentEventParser> {
        parsed(
            by: ServerSentEventParser(lastEventID: lastEventID, maximumLength: maximumLength),
            invalidParts: invalidEvents)
    }
}
