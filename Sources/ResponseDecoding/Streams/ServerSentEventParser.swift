public import Foundation

/// Parser of server-sent events (WHATWG HTML, sections 9.2.5 and 9.2.6).
///
/// The stream is always UTF-8; invalid bytes become U+FFFD. An event ends at a blank line; an incomplete event at the
/// end of the stream is dropped. After an error, parsing continues with the next event.
public struct ServerSentEventParser: ByteStreamParser {
    /// The ID for `Last-Event-ID`: that of the last complete event, with or without data; empty if there is none. An ID
    /// that contains NUL is ignored.
    public private(set) var lastEventID: String
    /// The reconnection time requested by the server, or nil.
    public private(set) var reconnectionTime: Duration?

    private enum Field: String {
        case event, data, id, retry
    }

    private var lines: LineSplitter
    private let maximumLength: Int
    private var type = ""
    /// Each line of the data, followed by LF.
    private var data = Data()
    private var id: String
    /// True while skipping the rest of an event that is too large.
    private var isSkipping = false

    /// Creates a parser.
    /// - Parameters:
    ///   - lastEventID: the last event ID until the stream sends one; that of the previous stream when reconnecting.
    ///   - maximumLength: maximum bytes of a line, and of an event's type and data together.
    public init(lastEventID: String = "", maximumLength: Int = LineParser.defaultMaximumLength) {
        self.lastEventID = lastEventID
        id = lastEventID
        self.maximumLength = maximumLength
        lines = LineSplitter(ending: .lfOrCRLFOrCR, maximumLength: maximumLength)
    }

    /// Adds the next bytes. A chunk may end anywhere, even inside a character or line terminator.
    public mutating func push(_ bytes: Data) { lines.push(bytes) }

    /// Marks the end of the stream. An event without its blank line is dropped.
    public mutating func finish() { lines.finish(keepingUnendedLine: false) }

    /// Returns the next event; nil if more bytes are needed or at the end.
    /// - Throws: ``StreamDecodingError`` (`lineTooLong`, `eventTooLarge`).
    public mutating func next() throws(StreamDecodingError) -> ServerSentEvent? {
        while let line = try nextLine() {
            if line.bytes.isEmpty {
                if let event = endEvent() { return event }
            } else if !isSkipping {
                try read(line)
            }
        }
        return nil
    }

    private mutating func nextLine() throws(StreamDecodingError) -> LineSplitter.Line? {
        do {
            return try lines.next()
        } catch {
            skipEvent()
            throw error
        }
    }

    private mutating func read(_ line: LineSplitter.Line) throws(StreamDecodingError) {
        let name = line.bytes.prefix { $0 != UInt8(ascii: ":") }
        var value = line.bytes.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        // A comment is a line whose name is empty.
        guard name.count <= 5, let field = Field(rawValue: String(decoding: name, as: UTF8.self)) else { return }
        switch field {
        case .event: type = String(decoding: value, as: UTF8.self)
        case .data:
            data.append(value)
            data.append(0x0A)
        case .id: if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        case .retry: if let time = Duration(milliseconds: value) { reconnectionTime = time }
        }
        guard type.utf8.count + max(0, data.count - 1) > maximumLength else { return }
        skipEvent()
        throw StreamDecodingError(
            .eventTooLarge,
            "Event exceeds the limit of \(maximumLength) bytes; raise `maximumLength`.",
            line: line.number, linePrefix: line.bytes)
    }

    private mutating func endEvent() -> ServerSentEvent? {
        defer {
            type = ""
            data = Data()
            isSkipping = false
        }
        lastEventID = id
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self),
            lastEventID: lastEventID)
    }

    /// Discards the current event with its ID, so that the server sends it again after reconnection.
    private mutating func skipEvent() {
        type = ""
        data = Data()
        id = lastEventID
        isSkipping = true
    }
}

extension Duration {
    /// Parses decimal milliseconds; nil unless all bytes are digits. Clamps to the maximum on overflow.
    fileprivate init?(milliseconds digits: Data) {
        guard !digits.isEmpty, digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
        self = .milliseconds(Int64(String(decoding: digits, as: UTF8.self)) ?? .max)
    }
}
