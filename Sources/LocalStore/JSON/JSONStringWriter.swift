import Foundation

/// Writes UTF-8 bytes as a JSON string (RFC 8259, section 7), eight bytes at a time while none needs an escape.
enum JSONStringWriter {
    static func write(_ bytes: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) throws(StoreError) {
        try buffer.reserve(bytes.count + 2)
        buffer.put(UInt8(ascii: "\""))
        var index = 0
        var clean = 0
        while index < bytes.count {
            if index + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if isPlain(word) {
                    index += 8
                    continue
                }
            }
            let byte = bytes[index]
            if byte >= 0x80 {
                guard let length = sequenceLength(bytes, at: index) else {
                    return try writeRepaired(bytes, from: clean, to: &buffer)
                }
                index += length
            } else if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                index += 1
            } else {
                try buffer.append(UnsafeRawBufferPointer(rebasing: bytes[clean..<index]))
                try escape(byte, to: &buffer)
                index += 1
                clean = index
            }
        }
        try buffer.append(UnsafeRawBufferPointer(rebasing: bytes[clean...]))
        try buffer.append("\"")
    }

    /// Writes the rest of a string with invalid UTF-8, replacing the invalid bytes by U+FFFD.
    private static func writeRepaired(
        _ bytes: UnsafeRawBufferPointer, from start: Int, to buffer: inout ByteBuffer
    ) throws(StoreError) {
        let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start...]), as: UTF8.self)
        for byte in text.utf8 {
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                try escape(byte, to: &buffer)
            } else {
                try buffer.reserve(1)
                buffer.put(byte)
            }
        }
        try buffer.append("\"")
    }

    private static func escape(_ byte: UInt8, to buffer: inout ByteBuffer) throws(StoreError) {
        try buffer.reserve(6)
        buffer.put(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): buffer.put(byte)
        case 0x08: buffer.put(UInt8(ascii: "b"))
        case 0x09: buffer.put(UInt8(ascii: "t"))
        case 0x0A: buffer.put(UInt8(ascii: "n"))
        case 0x0C: buffer.put(UInt8(ascii: "f"))
        case 0x0D: buffer.put(UInt8(ascii: "r"))
        default:
            buffer.put(UInt8(ascii: "u"))
            buffer.put(UInt8(ascii: "0"))
            buffer.put(UInt8(ascii: "0"))
            buffer.put(UInt8(ascii: "0") + (byte >> 4))
            buffer.put(hexDigit(byte & 0xF))
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// True when none of the eight bytes is a control character, a quote, a backslash or non-ASCII.
    @inline(__always)
    private static func isPlain(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let quotes = word ^ (ones &* 0x22)
        let slashes = word ^ (ones &* 0x5C)
        // Subtracting n from a byte below n borrows and sets its high bit (Bit Twiddling Hacks: hasless).
        let found = (word &- ones &* 0x20) | (quotes &- ones) | (slashes &- ones) | word
        return found & highs == 0
    }

    /// Length of the UTF-8 sequence that starts at a non-ASCII byte; nil when invalid (Unicode, table 3-7).
    private static func sequenceLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
        func follows(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
            index + offset < bytes.count && range.contains(bytes[index + offset])
        }
        switch bytes[index] {
        case 0xC2...0xDF: return follows(1) ? 2 : nil
        case 0xE0: return follows(1, 0xA0...0xBF) && follows(2) ? 3 : nil
        case 0xED: return follows(1, 0x80...0x9F) && follows(2) ? 3 : nil
        case 0xE1...0xEF: return follows(1) && follows(2) ? 3 : nil
        case 0xF0: return follows(1, 0x90...0xBF) && follows(2) && follows(3) ? 4 : nil
        case 0xF1...0xF3: return follows(1) && follows(2) && follows(3) ? 4 : nil
        case 0xF4: return follows(1, 0x80...0x8F) && follows(2) && follows(3) ? 4 : nil
        default: return nil
        }
    }
}
