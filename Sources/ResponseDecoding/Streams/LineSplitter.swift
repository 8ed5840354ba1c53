import Foundation

/// Cuts bytes into lines, whatever the lines hold.
///
/// Every byte is looked at once. Only the beginning of an unfinished line is kept from one piece to the next one, and no
/// more of it than a line may be long.
struct LineSplitter: Sendable {
    /// A line without its ending.
    struct Line {
        let bytes: Data
        /// Which line of the stream it is; the first one is 1.
        let number: Int
    }

    private let ending: LineEnding
    private let maximumLength: Int
    /// What was pushed and not looked at yet.
    private var rest = Data()
    /// The beginning of the current line, without any ending in it.
    private var beginning = Data()
    private var number = 1
    private var isAtStart = true
    private var isAfterCR = false
    /// True while the rest of a line is passed over that was too long.
    private var isPassing = false
    private var isFinished = false

    init(ending: LineEnding, maximumLength: Int) {
        self.ending = ending
        self.maximumLength = max(0, maximumLength)
    }

    mutating func push(_ bytes: Data) {
        guard !isFinished, !bytes.isEmpty else { return }
        guard !rest.isEmpty else { return rest = bytes }
        // Appending to a slice keeps what stood before it; without this, a reader who is always one line late would keep
        // the whole stream.
        if rest.startIndex > rest.count { rest = rest.subdata(in: rest.startIndex..<rest.endIndex) }
        rest.append(bytes)
    }

    /// Says that the stream has ended, and whether a last line without an ending is one.
    mutating func finish(keepingUnendedLine isKeeping: Bool) {
        guard !isFinished else { return }
        isFinished = true
        guard !isKeeping else { return }
        let length = rest.lastIndex(where: isEnd).map { $0 + 1 - rest.startIndex } ?? 0
        rest = rest.prefix(length)
        if length == 0 { beginning = Data() }
    }

    mutating func next() throws(StreamDecodingError) -> Line? {
        guard passByteOrderMark() else { return nil }
        passLFAfterCR()
        while let length = rest.withUnsafeBytes({ $0.firstIndex(where: isEnd) }) {
            let piece = rest.prefix(length)
            isAfterCR = rest[rest.startIndex + length] == 0x0D
            rest = rest.dropFirst(length + 1)
            if let line = try end(with: piece, hasLF: !isAfterCR) { return line }
            passLFAfterCR()
        }
        let piece = rest
        rest = Data()
        try keep(piece)
        guard isFinished, !beginning.isEmpty else { return nil }
        return try end(with: Data(), hasLF: false)
    }

    private func isEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D && ending == .lfOrCRLFOrCR }

    /// Drops a byte order mark at the very start of the stream.
    /// - Returns: false while it cannot be told whether there is one.
    private mutating func passByteOrderMark() -> Bool {
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

    private mutating func passLFAfterCR() {
        guard isAfterCR, let first = rest.first else { return }
        isAfterCR = false
        if first == 0x0A { rest = rest.dropFirst() }
    }

    /// Ends the current line with a last piece; nil when that line was refused before.
    private mutating func end(with piece: Data, hasLF: Bool) throws(StreamDecodingError) -> Line? {
        defer {
            beginning = Data()
            number += 1
            isPassing = false
        }
        if isPassing { return nil }
        var bytes = piece
        if !beginning.isEmpty {
            beginning.append(piece)
            bytes = beginning
        }
        if hasLF, ending == .lfOrCRLF, bytes.last == 0x0D { bytes = bytes.dropLast() }
        guard bytes.count <= maximumLength else { throw tooLong(bytes) }
        return Line(bytes: bytes, number: number)
    }

    /// Keeps a piece of a line that goes on, unless it is too long already.
    private mutating func keep(_ piece: Data) throws(StreamDecodingError) {
        guard !isPassing else { return }
        beginning.append(piece)
        // A CR at the end may turn out to be the first half of a CRLF, which does not count.
        let isOpen = ending == .lfOrCRLF && beginning.last == 0x0D && !isFinished
        guard beginning.count - (isOpen ? 1 : 0) > maximumLength else { return }
        let error = tooLong(beginning)
        beginning = Data()
        isPassing = true
        throw error
    }

    private func tooLong(_ bytes: Data) -> StreamDecodingError {
        StreamDecodingError(
            .lineTooLong, "The line is longer than the limit of \(maximumLength) bytes; raise `maximumLength`.",
            line: number, linePrefix: bytes.prefix(maximumLength))
    }
}
