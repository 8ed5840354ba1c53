extension JSONScanner {
    /// Number of entries that a tape can have: container entries hold indexes of 32 bits.
    static let maximumEntries = Int(UInt32.max)

    /// Reads a text that is one value, with white space around it.
    mutating func tapeDocument(_ tape: inout TapeWriter, maximumDepth: Int) throws(Stop) {
        skipWhitespace()
        try tapeValue(&tape, maximumDepth: maximumDepth)
        skipWhitespace()
        guard isAtEnd else { throw stop(.endOfText) }
    }

    /// Reads a value and writes its entries, without recursion.
    ///
    /// While a container is open, its payload is the number of its elements, and in the high half the index of the
    /// container around it.
    mutating func tapeValue(_ tape: inout TapeWriter, maximumDepth: Int) throws(Stop) {
        /// Index of the innermost open container; 0 without one.
        var open = 0
        var isObject = false
        var depth = 0
        // Each round of the outer loop reads a value, the inner one what follows it.
        while true {
            switch byte {
            case UInt8(ascii: "\""):
                try tapeString(&tape)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard depth < maximumDepth else { throw stop(Self.tooDeep(maximumDepth)) }
                guard tape.count < Self.maximumEntries - 2 else { throw stop(.fewerValues) }
                depth += 1
                isObject = byte == UInt8(ascii: "{")
                let ordinal = open == 0 ? 0 : tape.entries[open].count - 1
                let index = tape.count
                tape.append(TapeEntry(isObject ? .object : .array, offset: offset, payload: UInt64(open) << 32))
                tape.append(TapeEntry(parent: open, ordinal: ordinal))
                open = index
                position += 1
                skipWhitespace()
                if byte != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    tape.entries[open].payload &+= 1
                    if isObject { try tapeKey(&tape, of: open) }
                    continue
                }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                try tapeNumber(&tape)
            case UInt8(ascii: "n"):
                tape.append(TapeEntry(.null, offset: offset))
                _ = try scalar()
            case UInt8(ascii: "t"):
                tape.append(TapeEntry(.true, offset: offset))
                _ = try scalar()
            case UInt8(ascii: "f"):
                tape.append(TapeEntry(.false, offset: offset))
                _ = try scalar()
            default:
                throw stop(.value)
            }
            while open != 0 {
                skipWhitespace()
                if take(",") {
                    skipWhitespace()
                    tape.entries[open].payload &+= 1
                    if isObject { try tapeKey(&tape, of: open) }
                    break
                }
                guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw stop(isObject ? .commaOrBrace : .commaOrBracket)
                }
                position += 1
                depth -= 1
                let parent = tape.entries[open].end
                tape.entries[open].payload = UInt64(tape.count) << 32 | tape.entries[open].payload & 0xFFFF_FFFF
                open = parent
                isObject = open != 0 && tape.entries[open].kind == .object
            }
            if open == 0 { return }
        }
    }

    private static func tooDeep(_ maximumDepth: Int) -> Expectation {
        maximumDepth == Self.maximumDepth ? .lessNesting : .nestingWithinLimit
    }

    /// Reads a member name, its colon and the white space after it.
    @inline(__always)
    private mutating func tapeKey(_ tape: inout TapeWriter, of object: Int) throws(Stop) {
        guard byte == UInt8(ascii: "\"") else { throw stop(.name) }
        guard tape.count < Self.maximumEntries - 2 else { throw stop(.fewerValues) }
        if try !tapeString(&tape) { tape.entries[object].head |= TapeEntry.Flag.hasUnusualKeys }
        skipWhitespace()
        guard take(":") else { throw stop(.colon) }
        skipWhitespace()
    }

    /// Reads a string.
    /// - Returns: true if it is ASCII without escapes.
    @inline(__always) @discardableResult
    private mutating func tapeString(_ tape: inout TapeWriter) throws(Stop) -> Bool {
        let string = try skipString()
        guard string.count <= UInt32.max else { throw stop(.shorterString) }
        tape.append(
            TapeEntry(
                string.isEscaped ? .escapedString : .string, offset: string.start - base,
                payload: UInt64(string.count)))
        return string.isASCII && !string.isEscaped
    }

    @inline(__always)
    private mutating func tapeNumber(_ tape: inout TapeWriter) throws(Stop) {
        let start = offset
        let decimal = try self.decimal()
        if decimal.isExact {
            if decimal.isWhole {
                let significand = decimal.significand
                if !decimal.isNegative {
                    return tape.append(
                        TapeEntry(significand >> 63 == 0 ? .integer : .unsigned, offset: start, payload: significand))
                }
                // -0 has no integer form and becomes a real below.
                if significand > 0, significand <= 1 << 63 {
                    return tape.append(TapeEntry(.integer, offset: start, payload: 0 &- significand))
                }
            }
            if let value = decimal.double {
                return tape.append(TapeEntry(.real, offset: start, payload: value.bitPattern))
            }
        }
        tape.append(TapeEntry(.number, offset: start))
    }
}
