import Foundation
import LocalStore

/// Strict JSON scanner (RFC 8259) over UTF-8 bytes, used within a ``ScanBuffer``.
///
/// Facades use it to read a vendor's delta format. All unsafe pointers of the row streams are in this file. They are
/// sound because:
///
/// - The bytes are in one buffer that does not change while a scanner exists. At least ``padding`` zero bytes follow
///   the last one, and `end` points to the first of them. JSON has no raw zero byte, and every loop checks that a byte
///   is not zero before it advances, so it stops at `end` at the latest. A zero before `end` is a syntax error.
/// - Eight-byte loads start at `end` or before, so they read at most seven bytes beyond it, within the padding.
/// - The scratch buffer is as long as the input. Each byte written there consumes at least one input byte, and no input
///   byte is consumed twice, so it cannot overflow.
/// - A text cell points into one of the two buffers. It is read before the next row is scanned, and never stored.
package struct JSONScanner {
    /// Number of zero bytes after the input.
    static let padding = 8
    /// Maximum nesting of lists and objects in a cell.
    static let maximumDepth = 100

    /// Reason for stopping. At the end of the buffered bytes it means that more bytes are needed.
    package struct Stop: Error {
        let offset: Int
        let expected: Expectation
    }

    /// Cell of a row.
    package enum Cell {
        /// The row does not have the column.
        case missing
        case null
        case integer(Int64)
        case real(Double)
        /// UTF-8 text in the input or scratch buffer; a list or an object is its JSON text, unchanged.
        case text(UnsafeBufferPointer<UInt8>)
    }

    /// The cells of the current row.
    package let cells: UnsafeMutableBufferPointer<Cell>
    /// End of the fully processed bytes. Bytes after it are scanned again if the item turns out to be incomplete.
    private(set) var committedOffset: Int

    private let base: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>
    private var position: UnsafePointer<UInt8>
    private let scratchStart: UnsafeMutablePointer<UInt8>
    private var scratch: UnsafeMutablePointer<UInt8>
    private let maximumLength: Int

    /// Creates a scanner; nil when the padding or the scratch buffer is too small.
    /// - Parameters:
    ///   - bytes: the input with its padding.
    ///   - offset: where to start.
    ///   - scratch: at least as long as `bytes`.
    ///   - maximumLength: maximum bytes from one ``commit()`` to the next.
    init?(
        _ bytes: UnsafeBufferPointer<UInt8>, from offset: Int, scratch: UnsafeMutableBufferPointer<UInt8>,
        cells: UnsafeMutableBufferPointer<Cell>, maximumLength: Int
    ) {
        let count = bytes.count - Self.padding
        guard let base = bytes.baseAddress, let room = scratch.baseAddress, scratch.count >= bytes.count, offset >= 0,
            offset <= count, bytes[count...].allSatisfy({ $0 == 0 })
        else { return nil }
        self.cells = cells
        self.base = base
        self.end = base + count
        self.position = base + offset
        self.scratchStart = room
        self.scratch = room
        self.committedOffset = offset
        self.maximumLength = maximumLength
    }

    /// Marks the bytes up to the position as processed.
    package mutating func commit() throws(Stop) {
        guard offset - committedOffset <= maximumLength else {
            throw Stop(offset: committedOffset, expected: .shorterRow)
        }
        committedOffset = offset
        scratch = scratchStart
    }

    /// Skips white space and marks it as processed.
    package mutating func commitWhitespace() {
        skipWhitespace()
        committedOffset = offset
    }

    /// Offset of the position in the buffer.
    var offset: Int { position - base }

    /// True at the end of the input.
    package var isAtEnd: Bool { position == end }

    /// The byte at the position; zero at the end.
    package var byte: UInt8 { position.pointee }

    /// Creates the error for an unmet expectation at the position.
    package func stop(_ expected: Expectation) -> Stop { Stop(offset: offset, expected: expected) }

    package mutating func skipWhitespace() {
        while byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Consumes a character if it is next. It must not be zero.
    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Consumes a required character and the white space after it.
    package mutating func expect(_ character: Unicode.Scalar, _ expected: Expectation) throws(Stop) {
        guard take(character) else { throw stop(expected) }
        skipWhitespace()
    }

    /// Consumes a quote followed by these bytes, if they are next.
    mutating func takeQuoted(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // The compared bytes end within the input.
        guard byte == UInt8(ascii: "\""), let start = bytes.baseAddress, end - position > bytes.count,
            memcmp(position + 1, start, bytes.count) == 0
        else { return false }
        position += 1 + bytes.count
        return true
    }

    /// Consumes a quoted name if it is next. It must be ASCII without escapes.
    package mutating func takeName(_ name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        guard byte == UInt8(ascii: "\""), end - position > count + 1,
            memcmp(position + 1, name.utf8Start, count) == 0, position[count + 1] == UInt8(ascii: "\"")
        else { return false }
        position += count + 2
        return true
    }

    // MARK: Cells

    /// Reads a value as a cell.
    package mutating func cell() throws(Stop) -> Cell {
        switch byte {
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "t"): return try word("true", .integer(1))
        case UInt8(ascii: "f"): return try word("false", .integer(0))
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let start = position
            try skipValue(depth: 0)
            return .text(UnsafeBufferPointer(start: start, count: position - start))
        default: throw stop(.value)
        }
    }

    private mutating func word(_ text: StaticString, _ cell: Cell) throws(Stop) -> Cell {
        for index in 0..<text.utf8CodeUnitCount {
            guard byte == text.utf8Start[index] else { throw stop(.value) }
            position += 1
        }
        return cell
    }

    /// Skips a value of any kind.
    package mutating func skipValue(depth: Int) throws(Stop) {
        let isObject = byte == UInt8(ascii: "{")
        guard isObject || byte == UInt8(ascii: "[") else {
            _ = try cell()
            return
        }
        guard depth < Self.maximumDepth else { throw stop(.lessNesting) }
        position += 1
        skipWhitespace()
        if take(isObject ? "}" : "]") { return }
        repeat {
            skipWhitespace()
            if isObject {
                guard byte == UInt8(ascii: "\"") else { throw stop(.name) }
                _ = try string()
                skipWhitespace()
                try expect(":", .colon)
            }
            try skipValue(depth: depth + 1)
            skipWhitespace()
        } while take(",")
        guard take(isObject ? "}" : "]") else { throw stop(isObject ? .commaOrBrace : .commaOrBracket) }
    }

    // MARK: Numbers

    private mutating func number() throws(Stop) -> Cell {
        let start = position
        let isNegative = take("-")
        var significand: UInt64 = 0
        var digits = 1
        if take("0") {
            // Fails at this offset, so that the error does not depend on how many bytes follow.
            if byte &- UInt8(ascii: "0") <= 9 { throw stop(.number) }
        } else {
            digits = try self.digits(into: &significand)
        }
        var exponent = 0
        var isWhole = true
        if take(".") {
            isWhole = false
            let fraction = try self.digits(into: &significand)
            digits += fraction
            exponent = -fraction
        }
        if byte | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            exponent += try self.exponent()
        }
        // More digits may follow in the next chunk.
        if isAtEnd { throw stop(.commaOrEnd) }
        // Nineteen digits always fit into 64 bits, so the significand is exact.
        if digits <= 19 {
            if isWhole {
                if !isNegative, significand <= UInt64(Int64.max) { return .integer(Int64(significand)) }
                // -0 has no integer form and becomes a real below.
                if isNegative, significand > 0, significand <= UInt64(Int64.max) + 1 {
                    return .integer(Int64(truncatingIfNeeded: 0 &- significand))
                }
            }
            // Clinger's fast path (1990): both operands are exact, so the result is correctly rounded.
            if significand <= 1 << 53, abs(exponent) < Self.powersOfTen.count {
                let power = Self.powersOfTen[abs(exponent)]
                let magnitude = exponent < 0 ? Double(significand) / power : Double(significand) * power
                return .real(isNegative ? -magnitude : magnitude)
            }
        }
        // Not strtod: its decimal point depends on the locale.
        let text = String(decoding: UnsafeBufferPointer(start: start, count: position - start), as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw Stop(offset: start - base, expected: .finite) }
        return .real(value)
    }

    /// The powers of ten that are exact as a double.
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// Reads at least one digit and returns their number. The value wraps around on overflow.
    private mutating func digits(into number: inout UInt64) throws(Stop) -> Int {
        let start = position
        while true {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            number = number &* 10 &+ UInt64(digit)
            position += 1
        }
        guard position > start else { throw stop(.digit) }
        return position - start
    }

    private mutating func exponent() throws(Stop) -> Int {
        position += 1
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative || byte == UInt8(ascii: "+") { position += 1 }
        var exponent: UInt64 = 0
        // An exponent that may have wrapped around only needs to be too large for the fast path.
        if try digits(into: &exponent) > 9 { return 1_000_000_000 }
        return isNegative ? -Int(exponent) : Int(exponent)
    }

    // MARK: Strings

    /// Reads a string; the position is at its opening quote.
    ///
    /// A string without escapes is a slice of the input; otherwise it is unescaped into the scratch buffer.
    package mutating func string() throws(Stop) -> UnsafeBufferPointer<UInt8> {
        position += 1
        let start = position
        try skipPlainCharacters()
        guard byte == UInt8(ascii: "\\") else {
            position += 1
            return UnsafeBufferPointer(start: start, count: position - 1 - start)
        }
        let unescaped = scratch
        write(from: start)
        while take("\\") {
            write(try escaped())
            let run = position
            try skipPlainCharacters()
            write(from: run)
        }
        position += 1
        return UnsafeBufferPointer(start: unescaped, count: scratch - unescaped)
    }

    /// Copies the bytes from `start` to the position into the scratch buffer.
    private mutating func write(from start: UnsafePointer<UInt8>) {
        scratch.update(from: start, count: position - start)
        scratch += position - start
    }

    /// Writes a character as UTF-8, which is never longer than its escape.
    private mutating func write(_ scalar: Unicode.Scalar) {
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            scratch.pointee = byte
            scratch += 1
        }
    }

    /// Advances to the next quote or backslash, eight bytes at a time (SWAR), validating UTF-8.
    private mutating func skipPlainCharacters() throws(Stop) {
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(position).loadUnaligned(as: UInt64.self))
            let quotes = (word ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101
            let backslashes = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101
            let controls = word &- 0x2020_2020_2020_2020
            // The lowest set bit marks the first quote, backslash, control character or non-ASCII byte. Bits above it
            // may be wrong, since a subtraction borrows only from higher bytes.
            let special = (quotes | backslashes | controls | word) & 0x8080_8080_8080_8080
            guard special != 0 else {
                position += 8
                continue
            }
            position += special.trailingZeroBitCount / 8
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): return
            case 0x80...: while byte >= 0x80 { try skipMultibyteCharacter() }
            default: throw stop(.character)
            }
        }
    }

    /// Skips a character of two to four bytes, validating it (Unicode 16, table 3-7).
    private mutating func skipMultibyteCharacter() throws(Stop) {
        let lead = byte
        var second: ClosedRange<UInt8> = 0x80...0xBF
        let count: Int
        switch lead {
        case 0xC2...0xDF: count = 2
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: count = 3
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: count = 4
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        default: throw stop(.utf8)
        }
        position += 1
        guard second.contains(byte) else { throw stop(.utf8) }
        position += 1
        for _ in 2..<count {
            guard byte & 0xC0 == 0x80 else { throw stop(.utf8) }
            position += 1
        }
    }

    /// Reads an escape sequence after its backslash.
    private mutating func escaped() throws(Stop) -> Unicode.Scalar {
        let scalar: Unicode.Scalar
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scalar = Unicode.Scalar(byte)
        case UInt8(ascii: "b"): scalar = "\u{8}"
        case UInt8(ascii: "f"): scalar = "\u{C}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "u"):
            position += 1
            return try escapedUTF16()
        default: throw stop(.escape)
        }
        position += 1
        return scalar
    }

    private mutating func escapedUTF16() throws(Stop) -> Unicode.Scalar {
        let unit = try hexadecimals()
        var value = UInt32(unit)
        if UTF16.isLeadSurrogate(unit) {
            guard take("\\"), take("u") else { throw stop(.surrogate) }
            let trail = try hexadecimals()
            guard UTF16.isTrailSurrogate(trail) else { throw Stop(offset: offset - 4, expected: .surrogate) }
            value = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(trail & 0x3FF))
        }
        guard let scalar = Unicode.Scalar(value) else { throw Stop(offset: offset - 4, expected: .surrogate) }
        return scalar
    }

    private mutating func hexadecimals() throws(Stop) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw stop(.hexadecimal)
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}
