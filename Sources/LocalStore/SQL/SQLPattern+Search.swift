import Foundation

extension SQLPattern {
    /// A pattern of LIKE without `_`: pieces of text, with any text between them. It is made ready once and lent to the
    /// loop over many texts.
    struct Search: Sendable {
        /// The bytes of all pieces, letters in lower case.
        private var bytes: [UInt8] = []
        /// For each byte the bit in which a letter's two cases differ; none for what is no letter.
        private var folds: [UInt8] = []
        private var pieces: [Range<Int>] = []
        private let isAnchored: (start: Bool, end: Bool)

        /// - Returns: nil for a pattern with `_`, or without any text.
        init?(_ pattern: [UInt8]) {
            guard !pattern.contains(UInt8(ascii: "_")) else { return nil }
            isAnchored = (pattern.first != UInt8(ascii: "%"), pattern.last != UInt8(ascii: "%"))
            for piece in pattern.split(separator: UInt8(ascii: "%")) {
                pieces.append(bytes.count..<bytes.count + piece.count)
                for byte in piece {
                    let fold: UInt8 = (0x61...0x7A).contains(byte | 0x20) ? 0x20 : 0
                    bytes.append(byte | fold)
                    folds.append(fold)
                }
            }
            if pieces.isEmpty { return nil }
        }

        func lend<Result>(_ body: (borrowing Matcher) -> Result) -> Result {
            bytes.withUnsafeBytes { bytes in
                folds.withUnsafeBytes { folds in
                    pieces.withUnsafeBufferPointer { pieces in
                        body(Matcher(bytes: bytes, folds: folds, pieces: pieces, isAnchored: isAnchored))
                    }
                }
            }
        }
    }

    /// A ``Search``, where it lies. It compares eight bytes at a time.
    struct Matcher: ~Copyable {
        fileprivate let bytes: UnsafeRawBufferPointer
        fileprivate let folds: UnsafeRawBufferPointer
        fileprivate let pieces: UnsafeBufferPointer<Range<Int>>
        /// True when the text has to begin with the first piece, or to end with the last one.
        fileprivate let isAnchored: (start: Bool, end: Bool)

        /// True when a text, which ends at its first NUL, is like the pattern.
        @inline(__always)
        func matches(_ text: UnsafeRawBufferPointer) -> Bool {
            // Where the end is free, a text that is not like the pattern is not when it is cut either.
            isAnchored.end ? matchesAll(text.upToNUL) : matchesAll(text) && matchesAll(text.upToNUL)
        }

        @inline(__always)
        private func matchesAll(_ text: UnsafeRawBufferPointer) -> Bool {
            guard text.count >= bytes.count else { return false }
            var left = pieces[...]
            var (start, end) = (0, text.count)
            if isAnchored.start, let piece = left.popFirst() {
                guard isSame(piece, text, at: 0) else { return false }
                start = piece.count
                // Without any `%` there is but one piece.
                if isAnchored.end, left.isEmpty { return start == end }
            }
            if isAnchored.end, let piece = left.popLast() {
                end -= piece.count
                guard end >= start, isSame(piece, text, at: end) else { return false }
            }
            for piece in left {
                guard let place = find(piece, text, start, end) else { return false }
                start = place + piece.count
            }
            return true
        }

        /// The first place of a piece that lies between two places of a text.
        @inline(__always)
        private func find(_ piece: Range<Int>, _ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Int? {
            let last = end - piece.count
            let ones: UInt64 = 0x0101_0101_0101_0101
            let (wanted, fold) = (UInt64(bytes[piece.lowerBound]) &* ones, UInt64(folds[piece.lowerBound]) &* ones)
            let second = piece.count > 1 ? piece.lowerBound + 1 : piece.lowerBound
            let next = second - piece.lowerBound
            let (wantedNext, foldNext) = (UInt64(bytes[second]) &* ones, UInt64(folds[second]) &* ones)
            var place = start
            while place <= last, place + 8 + next <= text.count {
                // A byte of this is zero where the first two bytes are the piece's.
                let differences =
                    (word(text, at: place) | fold) ^ wanted | (word(text, at: place + next) | foldNext) ^ wantedNext
                var zeros = (differences &- ones) & ~differences & (ones << 7)
                while zeros != 0 {
                    let found = place + zeros.trailingZeroBitCount / 8
                    if found > last { return nil }
                    if isSame(piece, text, at: found) { return found }
                    zeros &= zeros &- 1
                }
                place += 8
            }
            while place <= last {
                if isSame(piece, text, at: place) { return place }
                place += 1
            }
            return nil
        }

        /// True when a piece, which has room there, stands at a place of a text.
        @inline(__always)
        private func isSame(_ piece: Range<Int>, _ text: UnsafeRawBufferPointer, at place: Int) -> Bool {
            let offset = place - piece.lowerBound
            var index = piece.lowerBound
            while index + 8 <= piece.upperBound {
                if word(text, at: index + offset) | word(folds, at: index) != word(bytes, at: index) { return false }
                index += 8
            }
            while index < piece.upperBound {
                if text[index + offset] | folds[index] != bytes[index] { return false }
                index += 1
            }
            return true
        }

        @inline(__always)
        private func word(_ bytes: UnsafeRawBufferPointer, at place: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Where SQLite works on texts as C strings, they end before the first NUL.
    var upToNUL: UnsafeRawBufferPointer {
        guard let start = baseAddress, !isEmpty, let end = memchr(start, 0, count) else { return self }
        return UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(end) - start)
    }
}
