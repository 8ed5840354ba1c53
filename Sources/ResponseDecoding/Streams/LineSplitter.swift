import Foundation

/// Incremental splitter of bytes into lines.
///
/// Each byte is scanned once. Only an incomplete line is kept between two chunks, up to the maximum length.
struct LineSplitter: Sendable {
    /// A line without its terminator.
    struct Line {
        let bytes: Data
        /// The number of the line in the stream, starting at 1.
        let number: Int
    }

    private let ending: LineEnding
    private let maximumLength: Int
    /// Bytes pushed but not scanned yet.
    private var rest = Data()
    /// Scanned start of the current line, without terminator.
    private var partialLine = Data()
    private var number = 1
    private var isAtStart = true
    private var isAfterCR = false
    /// True while skipping the rest of a line that is too long.
    private var isSkipping = false
    private var isFinished = false

    init(ending: LineEnding, maximumLength: Int) {
        self.ending = ending
        self.maximumLength = max(0, maximumLength)
    }

    mutating func push(_ bytes: Data) {
        guard !isFinished, !bytes.isEmpty else { return }
        guard !rest.isEmpty else { return rest = bytes }
        // Appending to a slice keeps the storage before it, so scanned bytes are dropped once they are the larger part.
        // Otherwise a reader that is always one line behind would keep the whole stream.
        if rest.startIndex > rest.count { rest = rest.subdata(in: rest.startIndex..<rest.endIndex) }
        rest.append(bytes)
    }

    /// Marks the end of the stream.
    /// - Parameter isKeeping: false to drop a last line without terminator.
    mutating func finish(keepingUnendedLine isKeeping: Bool) {
        guard !isFinished else { return }
        isFinished = true
        guard !isKeeping else { return }
        let length = rest.lastIndex(where: isTerminator).map { $0 + 1 - rest.startIndex } ?? 0
        rest = rest.prefix(length)
        if length == 0 { partialLine = Data() }
    }

    mutating func next() throws(StreamDecodingError) -> Line? {
        guard skipByteOrderMark() else { return nil }
        skipLFAfterCR()
        while let length = rest.withUnsafeBytes({ $0.firstIndex(where: isTerminator) }) {
            let piece = rest.prefix(length)
            isAfterCR = rest[rest.startIndex + length] == 0x0D
            rest = rest.dropFirst(length + 1)
            if let line = try end(with: piece, hasLF: !isAfterCR) { return line }
            skipLFAfterCR()
        }
        let piece = rest
        rest = Data()
        try appendToPartialLine(piece)
        guard isFinished, !partialLine.isEmpty else { return nil }
        return try end(with: Data(), hasLF: false)
    }

    private func isTerminator(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D && ending == .lfOrCRLFOrCR }

    /// Skips a byte order mark at the start of the stream.
    /// - Returns: false while more bytes are needed to decide.
    private mutating func skipByteOrderMark() -> Bool {
        guard isAtStart else { return true }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if rest.starts(with: mark) {
            rest = rest.dropFirst(mark.count)
        } else if mark.starts(with: rest), !isFinished {
            return false
        }
        isAtStart = false
        return true
    }

    private mutating func skipLFAfterCR() {
        guard isAfterCR, let first = rest.first else { return }
        isAfterCR = false
        if first == 0x0A { rest = rest.dropFirst() }
    }

    /// Ends the current line with its last piece; nil if the line was too long and its error already thrown.
    private mutating func end(with piece: Data, hasLF: Bool) throws(StreamDecodingError) -> Line? {
        defer {
            partialLine = Data()
            number += 1
            isSkipping = false
        }
        if isSkipping { return nil }
        var bytes = piece
        if !partialLine.isEmpty {
            partialLine.append(piece)
            bytes = partialLine
        }
        if hasLF, ending == .lfOrCRLF, bytes.last == 0x0D { bytes = bytes.dropLast() }
        guard bytes.count <= maximumLength else { throw tooLong(bytes) }
        return Line(bytes: bytes, number: number)
    }

    /// Appends to the incomplete line, unless it is too long.
    private mutating func appendToPartialLine(_ piece: Data) throws(StreamDecodingError) {
        guard !isSkipping else { return }
        partialLine.append(piece)
        // A trailing CR may be the first half of a CRLF, which does not count towards the length.
        let isOpen = ending == .lfOrCRLF && partialLine.last == 0x0D && !isFinished
        guard partialLine.count - (isOpen ? 1 : 0) > maximumLength else { return }
        let error = tooLong(partialLine)
        partialLine = Data()
        isSkipping = true
        throw error
    }

    private func tooLong(_ bytes: Data) -> StreamDecodingError {
        StreamDecodingError(
            .lineTooLong, "Line exceeds the limit of \(maximumLength) bytes; raise `maximumLength`.",
            line: number, linePrefix: bytes.prefix(maximumLength))
    }
}
