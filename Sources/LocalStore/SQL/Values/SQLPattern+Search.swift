import Foundation

extension SQLPattern {
    /// A LIKE pattern without `_`, compiled for repeated matching: pieces of text separated by `%`.
    struct Search: Sendable {
        /// Bytes of all pieces, with letters in lower case.
        private var bytes: [UInt8] = []
        /// For each byte, 0x20 for a letter (the bit that differs between its cases), else 0.
        private var folds: [UInt8] = []
        private var pieces: [Range<Int>] = []
        private let isAnchored: (start: Bool, end: Bool)

        /// - Returns: nil for a pattern with `_` or without text.
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

        func withMatcher<Result>(_ body: (borrowing Matcher) -> Result) -> Result {
            bytes.withUnsafeBytes { bytes in
                folds.withUnsafeBytes { folds in
                    pieces.withUnsafeBufferPointer { pieces in
                        body(Matcher(bytes: bytes, folds: folds, pieces: pieces, isAnchored: isAnchored))
                    }
                }
            }
        }
    }

    /// Pointers to a ``Search``, valid within ``Search/withMatcher(_:)``. It compares eight bytes at a time (SWAR).
    struct Matcher: ~Copyable {
        fileprivate let bytes: UnsafeRawBufferPointer
        fileprivate let folds: UnsafeRawBufferPointer
        fileprivate let pieces: UnsafeBufferPointer<Range<Int>>
        /// True if the text must start with the first piece, or end with the last one.
        fileprivate let isAnchored: (start: Bool, end: Bool)

        /// True if a text, up to its first NUL, matches the pattern.
        @inline(__always)
        func matches(_ text: UnsafeRawBufferPointer) -> Bool {
            // With a free end, a text that does not match has no matching prefix either; so most rows skip the search
            // for NUL.
            isAnchored.end ? matchesAll(text.upToNUL) : matchesAll(text) && matchesAll(text.upToNUL)
        }

        @inline(__always)
        private func matchesAll(_ text: UnsafeRawBufferPointer) -> Bool {
            guard text.count >= bytes.count else { return false }
            var remaining = pieces[...]
            var (start, end) = (0, text.count)
            if isAnchored.start, let piece = remaining.popFirst() {
                guard isSame(piece, text, at: 0) else { return false }
                start = piece.count
                // Without `%` there is a single piece.
                if isAnchored.end, remaining.isEmpty { return start == end }
            }
            if isAnchored.end, let piece = remaining.popLast() {
                end -= piece.count
                guard end >= start, isSame(piece, text, at: end) else { return false }
            }
            for piece in remaining {
                guard let position = find(piece, text, start, end) else { return false }
                start = position + piece.count
            }
            return true
        }

        /// The first occurrence of a piece within `start..<end`.
        ///
        /// It tests eight positions at once for the piece's first two bytes. In `differences`, a zero byte marks a
        /// candidate; `(x - 0x01...) & ~x & 0x80...` sets the high bit of zero bytes. A borrow may also mark the byte
        /// above a zero byte, so every candidate is verified.
        @inline(__always)
        private func find(_ piece: Range<Int>, _ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Int? {
            let last = end - piece.count
            let ones: UInt64 = 0x0101_0101_0101_0101
            let (firstByte, firstFold) = (
                UInt64(bytes[piece.lowerBound]) &* ones, UInt64(folds[piece.lowerBound]) &* ones
            )
            let second = piece.count > 1 ? piece.lowerBound + 1 : piece.lowerBound
            let next = second - piece.lowerBound
            let (secondByte, secondFold) = (UInt64(bytes[second]) &* ones, UInt64(folds[second]) &* ones)
            var position = start
            while position <= last, position + 8 + next <= text.count {
                // A byte is zero where both bytes match. In Swift `|` and `^` have the same precedence.
                let first = (word(text, at: position) | firstFold) ^ firstByte
                let differences = first | ((word(text, at: position + next) | secondFold) ^ secondByte)
                var zeros = (differences &- ones) & ~differences & (ones << 7)
                while zeros != 0 {
                    let found = position + zeros.trailingZeroBitCount / 8
                    if found > last { return nil }
                    if isSame(piece, text, at: found) { return found }
                    zeros &= zeros &- 1
                }
                position += 8
            }
            while position <= last {
                if isSame(piece, text, at: position) { return position }
                position += 1
            }
            return nil
        }

        /// True if a piece occurs at a position of a text; the caller ensures that it fits.
        @inline(__always)
        private func isSame(_ piece: Range<Int>, _ text: UnsafeRawBufferPointer, at position: Int) -> Bool {
            let offset = position - piece.lowerBound
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
        private func word(_ bytes: UnsafeRawBufferPointer, at position: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes up to the first NUL, where SQLite handles text as a C string.
    var upToNUL: UnsafeRawBufferPointer {
        guard let start = baseAddress, !isEmpty, let end = memchr(start, 0, count) else { return self }
        return UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(end) - start)
    }
}
