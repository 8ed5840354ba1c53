extension JSONScanner {
    /// A value that is not a list or an object.
    package enum Scalar {
        case null
        case bool(Bool)
        case integer(Int64)
        case real(Double)
        /// UTF-8 text in the input or scratch buffer.
        case text(UnsafeBufferPointer<UInt8>)
    }

    /// Reads a value that is not a list or an object.
    @inline(__always)
    package mutating func scalar() throws(Stop) -> Scalar {
        switch byte {
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        default: throw stop(.value)
        }
    }

    private mutating func word(_ text: StaticString, _ scalar: Scalar) throws(Stop) -> Scalar {
        for index in 0..<text.utf8CodeUnitCount {
            guard byte == text.utf8Start[index] else { throw stop(.value) }
            position += 1
        }
        return scalar
    }

    /// True at the start of a list or an object.
    package var isAtContainer: Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

    /// Skips a value of any kind.
    /// - Returns: its JSON text, unchanged.
    @discardableResult
    package mutating func skipValue() throws(Stop) -> UnsafeBufferPointer<UInt8> {
        let start = position
        try skipValue(depth: 0)
        return UnsafeBufferPointer(start: start, count: position - start)
    }

    private mutating func skipValue(depth: Int) throws(Stop) {
        guard isAtContainer else {
            _ = try scalar()
            return
        }
        guard depth < Self.maximumDepth else { throw stop(.lessNesting) }
        if byte == UInt8(ascii: "{") {
            try members(.object) { (scanner) throws(Stop) in
                _ = try scanner.name()
                try scanner.skipValue(depth: depth + 1)
            }
        } else {
            try elements { (scanner) throws(Stop) in try scanner.skipValue(depth: depth + 1) }
        }
    }
}
