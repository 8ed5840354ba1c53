import Foundation

extension ByteBuffer {
    /// Appends a finite number as the shortest text that round-trips, without a fraction of zero.
    mutating func append(shortest number: Double) throws(JSONError) {
        // Fast path: small whole numbers need no search for the shortest text. Minus zero needs its sign.
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 50, whole != 0 || number.sign == .plus {
            try reserve(20)
            put(decimal: whole)
        } else {
            try append(withoutZeroFraction: number.description)
        }
    }

    /// Appends a decimal number without `.0` at its end.
    mutating func append(withoutZeroFraction number: String) throws(JSONError) {
        try append(number)
        if count >= 2, start[count - 1] == UInt8(ascii: "0"), start[count - 2] == UInt8(ascii: ".") { count -= 2 }
    }

    /// Appends bytes.
    mutating func append(_ data: Data) throws(JSONError) {
        try reserve(data.count)
        data.withUnsafeBytes { put($0) }
    }

    /// Appends ASCII text.
    @inline(__always)
    mutating func append(static text: StaticString) throws(JSONError) {
        try append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// The JSON string whose characters start at an offset, unescaped.
    func string(at offset: Int) -> String {
        let bytes = UnsafeBufferPointer(start: start + offset, count: count - offset)
        let end = bytes.indices.first { index in
            bytes[index] == UInt8(ascii: "\"")
                && bytes[..<index].reversed().prefix { $0 == UInt8(ascii: "\\") }.count % 2 == 0
        }
        let text = "\"" + String(decoding: bytes[..<(end ?? bytes.endIndex)], as: UTF8.self) + "\""
        return (try? JSONValue(parsing: text))?.string ?? ""
    }

    /// Returns the bytes. A short text is copied, so that it does not keep the capacity of the buffer.
    mutating func takeCompactData() -> Data { count < 4096 ? Data(bytes: start, count: count) : takeData() }

    /// Removes the bytes after an offset.
    mutating func truncate(to length: Int) { count = min(count, length) }

    /// Calls `body` with the bytes.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }
}

extension UnsafeRawBufferPointer {
    /// Hash of the first and last eight bytes, and of the length.
    @inline(__always)
    var edgeHash: UInt64 {
        guard let start = baseAddress else { return 0 }
        var hash: UInt64
        if count >= 8 {
            hash = start.loadUnaligned(as: UInt64.self) ^ (start + count - 8).loadUnaligned(as: UInt64.self) &* 31
        } else if count >= 4 {
            hash = UInt64(start.loadUnaligned(as: UInt32.self)) << 32
            hash |= UInt64((start + count - 4).loadUnaligned(as: UInt32.self))
        } else {
            hash = 0
            for byte in self { hash = hash << 8 | UInt64(byte) }
        }
        return (hash ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15
    }
}
