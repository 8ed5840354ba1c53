import Foundation

/// Reads JSON strictly (RFC 8259), straight from bytes in UTF-8. A facade reads its vendor's shape of a delta with it,
/// within a ``ScanBuffer``.
///
/// This file holds all the unsafe pointers of the row streams. Why they are sound:
///
/// - The bytes lie in one buffer that is not touched while a scanner exists. Behind its last byte stand at least
///   ``padding`` zeros, and `end` points at the first of them. No JSON has a zero outside an escape, so every loop below
///   stops at `end` at the latest: it passes a byte only after seeing that it is not zero. A zero before `end` is a
///   fault like any other byte that should not be there.
/// - Eight bytes are read at once only from a position up to `end`; they end at most seven bytes behind it, which is in
///   the padding.
/// - The scratch memory is as long as the buffer. One byte or more of the buffer is passed for each one written there,
///   and no byte is passed twice, so what is written fits.
/// - A cell's text points into either. It is read before the scanner goes on to the next row, and never kept.
package struct JSONScanner {
    /// The zeros that stand behind the bytes.
    static let padding = 8
    /// How deep lists and objects may be nested in a cell.
    static let maximumDepth = 100

    /// Why a scan stopped. At the end of the bytes it means that more are needed.
    package struct Stop: Error {
        let offset: Int
        let expected: Expectation
    }

    /// One cell of a row.
    package enum Cell {
        /// The row does not name the column.
        case missing
        case null
        case integer(Int64)
        case real(Double)
        /// Text in UTF-8, in the buffer or in the scratch memory; a list or an object is its JSON text, as it was sent.
        case text(UnsafeBufferPointer<UInt8>)
    }

    /// Room for the cells of one row.
    package let cells: UnsafeMutableBufferPointer<Cell>
    /// Up to where the bytes have been dealt with for good. What follows is read again when it turns out to be cut off.
    private(set) var mark: Int

    private let base: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>
    private var position: UnsafePointer<UInt8>
    private let scratchStart: UnsafeMutablePointer<UInt8>
    private var scratch: UnsafeMutablePointer<UInt8>
    private let maximumLength: Int

    /// A scanner at a byte of a buffer; nil when the padding or the scratch memory is too small.
    /// - Parameters:
    ///   - bytes: the bytes and their padding.
    ///   - offset: where to start.
    ///   - scratch: at least as long as `bytes`.
    ///   - maximumLength: the most bytes from one ``commit()`` to the next.
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
        self.mark = offset
        self.maximumLength = maximumLength
    }

    /// Says that the bytes up to here have been dealt with.
    package mutating func commit() throws(Stop) {
        guard offset - mark <= maximumLength else { throw Stop(offset: mark, expected: .shorterRow) }
        mark = offset
        scratch = scratchStart
    }

    /// Passes blanks for good, as many as there are.
    package mutating func commitBlanks() {
        skipBlanks()
        mark = offset
    }

    /// How many bytes of the buffer have been passed.
    var offset: Int { position - base }

    /// True when every byte has been passed.
    package var isAtEnd: Bool { position == end }

    /// The byte at the position, zero at the end.
    package var byte: UInt8 { position.pointee }

    /// The error of not having found something here.
    package func stop(_ expected: Expectation) -> Stop { Stop(offset: offset, expected: expected) }

    package mutating func skipBlanks() {
        while byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Passes a character when it is here. It must not be zero.
    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Passes a character and the blanks behind it.
    package mutating func expect(_ character: Unicode.Scalar, _ expected: Expectation) throws(Stop) {
        guard take(character) else { throw stop(expected) }
        skipBlanks()
    }

    /// Passes a quote and these bytes when they are here.
    mutating func takeQuoted(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // What is compared ends before the padding does.
        guard byte == UInt8(ascii: "\""), let start = bytes.baseAddress, end - position > bytes.count,
            memcmp(position + 1, start, bytes.count) == 0
        else { return false }
        position += 1 + bytes.count
        return true
    }

    /// Passes a name in quotes when it is here. It must be plain ASCII.
    package mutating func takeName(_ name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        guard byte == UInt8(ascii: "\""), end - position > count + 1,
            memcmp(position + 1, name.utf8Start, count) == 0, position[count + 1] == UInt8(ascii: "\"")
        else { return false }
        position += count + 2
        return true
    }

    // MARK: Cells

    /// Reads a value as the cell of a row.
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

    /// Passes a value of any kind.
    package mutating func skipValue(depth: Int) throws(Stop) {
        let isObject = byte == UInt8(ascii: "{")
        guard isObject || byte == UInt8(ascii: "[") else {
            _ = try cell()
            return
        }
        guard depth < Self.maximumDepth else { throw stop(.lessNesting) }
        position += 1
        skipBlanks()
        if take(isObject ? "}" : "]") { return }
        repeat {
            skipBlanks()
            if isObject {
                guard byte == UInt8(ascii: "\"") else { throw stop(.name) }
                _ = try string()
                skipBlanks()
                try expect(":", .colon)
            }
            try skipValue(depth: depth + 1)
            skipBlanks()
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
            // Refused where it stands: how much follows must not matter.
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
        // More digits may follow.
        if isAtEnd { throw stop(.commaOrEnd) }
        // Nineteen digits always fit, so the significand is exact.
        if digits <= 19 {
            if isWhole {
                if !isNegative, significand <= UInt64(Int64.max) { return .integer(Int64(significand)) }
                // Minus zero is a number that no integer is.
                if isNegative, significand > 0, significand <= UInt64(Int64.max) + 1 {
                    return .integer(Int64(truncatingIfNeeded: 0 &- significand))
                }
            }
            // Both operands are exact, and so the result is the nearest one (Clinger, 1990).
            if significand <= 1 << 53, abs(exponent) < Self.powersOfTen.count {
                let power = Self.powersOfTen[abs(exponent)]
                let magnitude = exponent < 0 ? Double(significand) / power : Double(significand) * power
                return .real(isNegative ? -magnitude : magnitude)
            }
        }
        // Not strtod itself, whose decimal point is that of the program's locale.
        let text = String(decoding: UnsafeBufferPointer(start: start, count: position - start), as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw Stop(offset: start - base, expected: .finite) }
        return .real(value)
    }

    /// The powers of ten that a double holds exactly.
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// Passes at least one digit, and says how many they were. The number wraps around when they are too many.
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
        // One that may have wrapped around only has to be too large for the exact way.
        if try digits(into: &exponent) > 9 { return 1_000_000_000 }
        return isNegative ? -Int(exponent) : Int(exponent)
    }

    // MARK: Texts

    /// Reads a text in quotes; the position is at the first of them.
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

    /// Copies what has been passed since a position.
    private mutating func write(from start: UnsafePointer<UInt8>) {
        scratch.update(from: start, count: position - start)
        scratch += position - start
    }

    /// Writes a character in UTF-8, which is never longer than its escape.
    private mutating func write(_ scalar: Unicode.Scalar) {
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            scratch.pointee = byte
            scratch += 1
        }
    }

    /// Moves to the next quote or backslash.
    private mutating func skipPlainCharacters() throws(Stop) {
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(position).loadUnaligned(as: UInt64.self))
            let quotes = (word ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101
            let backslashes = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101
            let controls = word &- 0x2020_2020_2020_2020
            // The lowest bit set belongs to a quote, a backslash, a control character or a byte that is not ASCII: what a
            // subtraction borrows reaches only the bytes above one of those.
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

    /// Passes a character of two to four bytes (Unicode 16, table 3-7).
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

    /// Reads an escape behind its backslash.
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
