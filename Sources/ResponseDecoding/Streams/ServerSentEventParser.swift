public import Foundation

/// Makes events of an event stream (WHATWG HTML, sections 9.2.5 and 9.2.6).
///
/// The stream is UTF-8 whatever its response says; bytes that are not are replaced by U+FFFD. An event counts once the
/// blank line after it has come; one that the end of the stream cuts off is dropped. After an error the events behind
/// the one that was too large follow.
public struct ServerSentEventParser: ByteStreamParser {
    /// The id to ask the server to go on from: that of the last event that ended, with or without data, and empty when
    /// there is none. An id that holds NUL does not count.
    public private(set) var lastEventID: String
    /// How long the server wants a client to wait before it connects again; nil while the stream does not say.
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
    /// True until the blank line after an event that was too large.
    private var isPassing = false

    /// A parser at the start of a stream.
    /// - Parameters:
    ///   - lastEventID: the id that counts until the stream sends one: that of the stream before, when this one is its
    ///     continuation.
    ///   - maximumLength: the most bytes of a line, and of an event's type and data together.
    public init(lastEventID: String = "", maximumLength: Int = LineParser.standardMaximumLength) {
        self.lastEventID = lastEventID
        id = lastEventID
        self.maximumLength = maximumLength
        lines = LineSplitter(ending: .lfOrCRLFOrCR, maximumLength: maximumLength)
    }

    /// Adds bytes, cut anywhere, within a character or a line ending too.
    public mutating func push(_ bytes: Data) { lines.push(bytes) }

    /// Says that the stream has ended. An event without its blank line is dropped.
    public mutating func finish() { lines.finish(keepingUnendedLine: false) }

    /// The next event, or nil when more bytes are needed or there are no more events.
    /// - Throws: ``StreamDecodingError`` (`lineTooLong`, `eventTooLarge`).
    public mutating func next() throws(StreamDecodingError) -> ServerSentEvent? {
        while let line = try nextLine() {
            if line.bytes.isEmpty {
                if let event = endEvent() { return event }
            } else if !isPassing {
                try read(line)
            }
        }
        return nil
    }

    private mutating func nextLine() throws(StreamDecodingError) -> LineSplitter.Line? {
        do {
            return try lines.next()
        } catch {
            passEvent()
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
        passEvent()
        throw StreamDecodingError(
            .eventTooLarge,
            "The event is longer than the limit of \(maximumLength) bytes; raise `maximumLength`.",
            line: line.number, linePrefix: line.bytes)
    }

    private mutating func endEvent() -> ServerSentEvent? {
        defer {
            type = ""
            data = Data()
            isPassing = false
        }
        lastEventID = id
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self),
            lastEventID: lastEventID)
    }

    /// Forgets the current event, its id too: a client that connects again is to get it once more.
    private mutating func passEvent() {
        type = ""
        data = Data()
        id = lastEventID
        isPassing = true
    }
}

extension Duration {
    /// A time in digits; nil when there is anything else, or nothing. One that is too long becomes the longest.
    fileprivate init?(milliseconds digits: Data) {
        guard !digits.isEmpty, digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
        self = .milliseconds(Int64(String(decoding: digits, as: UTF8.self)) ?? .max)
    }
}
