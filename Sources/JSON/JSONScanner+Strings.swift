extension JSONScanner {
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

    /// Advances to the next quote or backslash, eight bytes at a time, validating UTF-8.
    private mutating func skipPlainCharacters() throws(Stop) {
        var isASCII = true
        try skipPlainCharacters(&isASCII)
    }

    /// Advances to the next quote or backslash.
    /// - Parameter isASCII: becomes false if a character before it is not ASCII.
    @inline(__always)
    mutating func skipPlainCharacters(_ isASCII: inout Bool) throws(Stop) {
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(position).loadUnaligned(as: UInt64.self))
            guard let index = word.firstJSONSpecialByte else {
                position += 8
                continue
            }
            position += index
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): return
            case 0x80...:
                isASCII = false
                while byte >= 0x80 { try skipMultibyteCharacter() }
            default: throw stop(.character)
            }
        }
    }

    /// Skips a character of two to four bytes, validating it.
    private mutating func skipMultibyteCharacter() throws(Stop) {
        guard let sequence = UTF8Sequence(lead: byte) else { throw stop(.utf8) }
        position += 1
        guard sequence.second.contains(byte) else { throw stop(.utf8) }
        position += 1
        for _ in 2..<sequence.length {
            guard UTF8Sequence.isContinuation(byte) else { throw stop(.utf8) }
            position += 1
        }
    }

    // MARK: Escapes

    /// Reads an escape sequence after its backslash.
    mutating func escaped() throws(Stop) -> Unicode.Scalar {
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
