public import Foundation
public import HTTPMessages

extension AsyncSequence where Element == Data {
    /// The values that a parser makes of these bytes.
    /// - Parameters:
    ///   - parser: a parser at the start of the stream.
    ///   - invalidParts: what to do with what the parser refuses.
    public func parsed<Parser: ByteStreamParser>(
        by parser: Parser, invalidParts: InvalidPartPolicy = .refused
    ) -> ParsedSequence<Self, Parser> {
        ParsedSequence(self, parser: parser, invalidParts: invalidParts)
    }

    /// The lines of these bytes, which are UTF-8.
    /// - Parameters:
    ///   - ending: what ends a line.
    ///   - invalidBytes: what to do with bytes that are not UTF-8.
    ///   - maximumLength: the most bytes of a line, without its ending.
    ///   - invalidLines: what to do with a line that is too long or not UTF-8.
    public func lines(
        ending: LineEnding = .lfOrCRLF, invalidBytes: InvalidBytePolicy = .refused,
        maximumLength: Int = LineParser.standardMaximumLength, invalidLines: InvalidPartPolicy = .refused
    ) -> ParsedSequence<Self, LineParser> {
        parsed(
            by: LineParser(ending: ending, invalidBytes: invalidBytes, maximumLength: maximumLength),
            invalidParts: invalidLines)
    }

    /// The values of newline-delimited JSON.
    ///
    /// ```swift
    /// for try await item in bytes.ndjson(as: Item.self) { show(item) }
    /// ```
    /// - Parameters:
    ///   - type: what to make of each line.
    ///   - decoder: its settings; do not change them afterwards. Nil means Foundation's defaults.
    ///   - maximumLength: the most bytes of a line, without its ending.
    ///   - invalidLines: what to do with a line that is not such a value.
    public func ndjson<Value: Decodable & Sendable>(
        as type: Value.Type, decoder: JSONDecoder? = nil, maximumLength: Int = LineParser.standardMaximumLength,
        invalidLines: InvalidPartPolicy = .refused
    ) -> ParsedSequence<Self, NDJSONParser<Value>> {
        parsed(
            by: NDJSONParser(type, decoder: decoder, maximumLength: maximumLength), invalidParts: invalidLines)
    }

    /// The values of newline-delimited JSON of any kind.
    /// - Parameters:
    ///   - type: says that any JSON will do.
    ///   - maximumLength: the most bytes of a line, without its ending.
    ///   - invalidLines: what to do with a line that is not JSON.
    public func ndjson(
        as type: JSONValue.Type = JSONValue.self, maximumLength: Int = LineParser.standardMaximumLength,
        invalidLines: InvalidPartPolicy = .refused
    ) -> ParsedSequence<Self, NDJSONParser<JSONValue>> {
        parsed(by: NDJSONParser(type, maximumLength: maximumLength), invalidParts: invalidLines)
    }

    /// The events of an event stream; see ``ServerSentEventParser``.
    /// - Parameters:
    ///   - lastEventID: the id that counts until the stream sends one.
    ///   - maximumLength: the most bytes of a line, and of an event's type and data together.
    ///   - invalidEvents: what to do with an event that is too large.
    public func serverSentEvents(
        lastEventID: String = "", maximumLength: Int = LineParser.standardMaximumLength,
        invalidEvents: InvalidPartPolicy = .refused
    ) -> ParsedSequence<Self, ServerSentEventParser> {
        parsed(
            by: ServerSentEventParser(lastEventID: lastEventID, maximumLength: maximumLength),
            invalidParts: invalidEvents)
    }
}
