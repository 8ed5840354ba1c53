public import Foundation
public import HTTPMessages

/// Parser of multipart bodies: forms, mixed, byte ranges and others (RFC 2046, section 5.1; RFC 7578).
///
/// Keeps the current chunk, the fields of one part, and at most the length of a delimiter. Contents are passed on
/// without a copy, but for the bytes around the start of a chunk, if a delimiter may be there. Lines may end with CRLF
/// or LF; text before the first and after the final boundary is ignored. An error is final.
///
/// ```swift
/// var parser = try MultipartParser(boundary: "gc0p4Jq0M2Yt08j34c0p")
/// parser.push(chunk)
/// while let event = try parser.next() { handle(event) }
/// ```
public struct MultipartParser: ByteStreamParser {
    /// Legal transitions:
    ///
    ///     preamble   delimited  epilogue  at the first delimiter, or the final one
    ///     delimited  fields               at once, unless there are too many parts
    ///     fields     body                 at the blank line
    ///     body       ending               at a delimiter
    ///     ending     delimited  epilogue  when the end of the part was returned
    ///     any        failed               after an error
    private enum State {
        case preamble, delimited, fields, body
        case ending(isLast: Bool)
        case epilogue, failed
    }

    private let delimiter: MultipartDelimiter
    private let limits: MultipartLimits
    private var state = State.preamble
    /// The next bytes that are not consumed.
    private var rest: Data
    /// The last chunk that was pushed, if ``rest`` began before it: only its start is copied there.
    private var chunk = Data()
    /// The number of bytes at the start of ``chunk`` that ``rest`` has, or had.
    private var copiedBytes = 0
    /// The bytes of a chunk that are copied at a time; more than a line with a delimiter.
    private static let copySize = 256
    /// Offset of `rest` in the body. The line break of the first delimiter may be missing, so one stands before it.
    private var offset = -1
    /// The first byte of `rest` is a line break that belongs to the line before the content.
    private var isAfterLine = true
    /// Offset in `rest` of the line of fields that has not ended yet.
    private var lineStart = 0
    private var number = 0
    private var contentBytes: Int64 = 0
    private var isFinished = false

    /// Creates a parser.
    /// - Throws: ``StreamDecodingError`` (`invalidBoundary`) unless the boundary is 1 to 70 printable ASCII characters.
    public init(boundary: String, limits: MultipartLimits = .standard) throws(StreamDecodingError) {
        delimiter = try MultipartDelimiter(boundary: boundary)
        self.limits = limits
        rest = Data([0x0A])
    }

    /// Creates a parser for the boundary of a media type.
    /// - Throws: ``StreamDecodingError`` (`invalidBoundary`) if the media type is not `multipart/...`, or its boundary
    ///   is missing or invalid.
    public init(_ mediaType: MediaType?, limits: MultipartLimits = .standard) throws(StreamDecodingError) {
        guard let mediaType, mediaType.type == "multipart", let boundary = mediaType["boundary"] else {
            throw StreamDecodingError(
                .invalidBoundary,
                "Media type \(mediaType?.essence ?? "(none)") is not multipart with a boundary; check `Content-Type`.",
                line: 0)
        }
        try self.init(boundary: boundary, limits: limits)
    }

    /// Adds the next bytes. A chunk may end anywhere, even inside a boundary.
    public mutating func push(_ bytes: Data) {
        guard !isFinished, !bytes.isEmpty else { return }
        switch state {
        case .epilogue, .failed: return
        default: break
        }
        // The caller has not asked for all events of the chunk before.
        if !chunk.isEmpty { rest.append(chunk.dropFirst(copiedBytes)) }
        chunk = bytes
        copiedBytes = 0
        // Appending to a slice keeps the storage before it, so it is copied once that is the larger part.
        if rest.startIndex > rest.count { rest = rest.subdata(in: rest.startIndex..<rest.endIndex) }
    }

    /// Adds bytes of the chunk to ``rest``: some of them, or without a copy all, once nothing before them is needed.
    /// - Returns: false if there are none.
    private mutating func refill() -> Bool {
        guard !chunk.isEmpty else { return false }
        if rest.count <= copiedBytes {
            rest = chunk.dropFirst(copiedBytes - rest.count)
            chunk = Data()
        } else {
            let piece = chunk.dropFirst(copiedBytes).prefix(Self.copySize)
            rest.append(piece)
            copiedBytes += piece.count
            if copiedBytes == chunk.count { chunk = Data() }
        }
        return true
    }

    /// Marks the end of the body. If the final boundary is missing, ``next()`` throws an error.
    public mutating func finish() { isFinished = true }

    /// Returns the next event; nil if more bytes are needed or at the end.
    /// - Throws: ``StreamDecodingError`` (`incompleteMultipart`, `invalidPartFields`, `partFieldsTooLarge`,
    ///   `tooManyParts`, `partTooLarge`) with the number of the part and the offset in the body.
    public mutating func next() throws(StreamDecodingError) -> MultipartEvent? {
        do throws(StreamDecodingError) {
            while true {
                if let event = try step() { return event }
                guard refill() else { return nil }
            }
        } catch {
            state = .failed
            drop()
            throw error
        }
    }

    /// Returns the next event; nil if it needs bytes that ``rest`` does not have.
    private mutating func step() throws(StreamDecodingError) -> MultipartEvent? {
        while true {
            switch state {
            case .preamble:
                guard let isLast = takeContent().delimiter else { return try end("has no boundary") }
                state = isLast ? .epilogue : .delimited
            case .delimited:
                try startPart()
                state = .fields
            case .fields:
                guard let head = try takeHead() else { return try end("ends within the fields of a part") }
                state = .body
                return .head(head)
            case .body:
                let (content, isLast) = takeContent()
                try count(content)
                if let isLast { state = .ending(isLast: isLast) }
                if !content.isEmpty { return .bytes(content) }
                if isLast == nil { return try end("ends without its final boundary") }
            case .ending(let isLast):
                state = isLast ? .epilogue : .delimited
                return .end
            case .epilogue, .failed:
                drop()
                return nil
            }
        }
    }

    private mutating func drop() { (rest, chunk) = (Data(), Data()) }

    private mutating func startPart() throws(StreamDecodingError) {
        number += 1
        contentBytes = 0
        lineStart = 0
        guard number <= limits.parts else {
            throw error(
                .tooManyParts,
                "Multipart body exceeds the limit of \(limits.parts) parts; raise "
                    + "`MultipartLimits.parts`.")
        }
    }

    /// Takes the bytes before the next delimiter as far as they have arrived, and the delimiter.
    private mutating func takeContent() -> (content: Data, delimiter: Bool?) {
        let skipped = isAfterLine ? 1 : 0
        switch rest.withUnsafeBytes({ delimiter.scan($0) }) {
        case .content(let count):
            let content = rest.prefix(count).dropFirst(skipped)
            if count > 0 { isAfterLine = false }
            consume(count)
            return (content, nil)
        case .delimiter(let count, let end, let isLast):
            let content = rest.prefix(count).dropFirst(skipped)
            isAfterLine = false
            consume(end)
            return (content, isLast)
        }
    }

    private mutating func consume(_ count: Int) {
        offset += count
        rest = count == rest.count ? Data() : rest.dropFirst(count)
    }

    private mutating func count(_ content: Data) throws(StreamDecodingError) {
        contentBytes += Int64(content.count)
        guard contentBytes > limits.partBytes else { return }
        throw error(
            .partTooLarge,
            "Content exceeds the limit of \(limits.partBytes) bytes; raise "
                + "`MultipartLimits.partBytes`.")
    }

    // MARK: Fields

    private mutating func takeHead() throws(StreamDecodingError) -> MultipartHead? {
        guard let length = fieldsLength() else {
            guard rest.count <= limits.fieldBytes else { throw fieldsTooLarge() }
            return nil
        }
        guard length.fields <= limits.fieldBytes else { throw fieldsTooLarge() }
        let head: MultipartHead
        do {
            let block = try MultipartFields(rest.prefix(length.fields), delimiter: delimiter.line)
            head = MultipartHead(number: number, fields: block.fields, byteOffset: offset)
        } catch {
            throw self.error(
                .invalidPartFields, "Line of the fields \(error.text).", at: offset + error.offset)
        }
        for name in [head.name, head.disposition?["filename"]].compactMap(\.self)
        where name.utf8.count > limits.nameBytes {
            throw error(
                .partFieldsTooLarge,
                "Name of \(name.utf8.count) bytes exceeds the limit of \(limits.nameBytes); "
                    + "raise `MultipartLimits.nameBytes`.")
        }
        consume(length.blankLine)
        isAfterLine = true
        return head
    }

    /// The length of the fields, and of those and the blank line without its LF: that may be the line break of a
    /// delimiter. Nil if the blank line has not arrived.
    private mutating func fieldsLength() -> (fields: Int, blankLine: Int)? {
        rest.withUnsafeBytes { bytes in
            while let feed = bytes[lineStart...].firstIndex(of: 0x0A) {
                let length = feed - lineStart
                if length == 0 || length == 1 && bytes[lineStart] == 0x0D { return (lineStart, feed) }
                lineStart = feed + 1
            }
            return nil
        }
    }

    private func fieldsTooLarge() -> StreamDecodingError {
        error(
            .partFieldsTooLarge,
            "Fields exceed the limit of \(limits.fieldBytes) bytes; raise "
                + "`MultipartLimits.fieldBytes`.")
    }

    // MARK: Errors

    /// Nil if more bytes may follow.
    private func end(_ problem: String) throws(StreamDecodingError) -> MultipartEvent? {
        guard isFinished, chunk.isEmpty else { return nil }
        throw error(.incompleteMultipart, "Multipart body \(problem); it is truncated or has another boundary.")
    }

    private func error(
        _ code: StreamDecodingError.Code, _ message: String, at place: Int? = nil
    ) -> StreamDecodingError {
        var error = StreamDecodingError(code, message, line: 0, byteOffset: place ?? max(0, offset))
        error.part = number > 0 ? number : nil
        return error
    }
}
