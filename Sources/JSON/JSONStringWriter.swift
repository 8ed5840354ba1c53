import Foundation

/// Writes UTF-8 bytes as a JSON string (RFC 8259, section 7): eight at a time while none needs an escape.
package enum JSONStringWriter {
    /// Writes the string with its quotes. Invalid UTF-8 becomes U+FFFD.
    package static func write(_ bytes: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) throws(JSONError) {
        try buffer.reserve(bytes.count + 2)
        buffer.put(UInt8(ascii: "\""))
        var index = 0
        // End of the bytes that are already in the buffer.
        var written = 0
        while index < bytes.count {
            if index + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                guard let special = word.firstJSONSpecialByte else {
                    index += 8
                    continue
                }
                index += special
            }
            let byte = bytes[index]
            if byte >= 0x80 {
                guard let length = sequenceLength(bytes, at: index) else {
                    return try writeRepaired(bytes, from: written, to: &buffer)
                }
                index += length
            } else if byte.needsJSONEscape {
                try buffer.append(UnsafeRawBufferPointer(rebasing: bytes[written..<index]))
                try escape(byte, to: &buffer)
                index += 1
                written = index
            } else {
                index += 1
            }
        }
        try buffer.reserve(bytes.count - written + 1)
        buffer.put(UnsafeRawBufferPointer(rebasing: bytes[written...]))
        buffer.put(UInt8(ascii: "\""))
    }

    /// Writes a text as a string with its quotes.
    package static func write(_ text: String, to buffer: inout ByteBuffer) throws(JSONError) {
        var text = text
        try text.withUTF8 { bytes in
            Result { () throws(JSONError) in try write(UnsafeRawBufferPointer(bytes), to: &buffer) }
        }.get()
    }

    /// Writes the rest of a string with invalid UTF-8, replacing the invalid bytes by U+FFFD.
    private static func writeRepaired(
        _ bytes: UnsafeRawBufferPointer, from start: Int, to buffer: inout ByteBuffer
    ) throws(JSONError) {
        let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start...]), as: UTF8.self)
        for byte in text.utf8 {
            if byte.needsJSONEscape {
                try escape(byte, to: &buffer)
            } else {
                try buffer.reserve(1)
                buffer.put(byte)
            }
        }
        try buffer.append("\"")
    }

    private static func escape(_ byte: UInt8, to buffer: inout ByteBuffer) throws(JSONError) {
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

    /// Length of the UTF-8 sequence that starts at a non-ASCII byte; nil when invalid.
    @inline(__always)
    private static func sequenceLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
        guard let sequence = UTF8Sequence(lead: bytes[index]), index + sequence.length <= bytes.count,
            sequence.second.contains(bytes[index + 1])
        else { return nil }
        for offset in 2..<sequence.length where !UTF8Sequence.isContinuation(bytes[index + offset]) { return nil }
        return sequence.length
    }
}
