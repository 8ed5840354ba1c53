/// Writes percent-encoded texts into uninitialized memory, for `String(unsafeUninitializedCapacity:)`.
///
/// The memory must have room for all that is written: ``UnescapedCharacters/capacity(for:spaceIsPlus:)`` of each text,
/// and one for each byte. An array, which checks its capacity at each byte, takes three times as long.
package struct PercentEncodingWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    /// The number of bytes written.
    package private(set) var count = 0

    package init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

    /// Writes one byte as it is.
    package mutating func write(_ byte: UInt8) {
        precondition(count < buffer.count)
        buffer.initializeElement(at: count, to: byte)
        count += 1
    }

    /// Writes bytes as they are.
    package mutating func write(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { write($0) } }

    private mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) {
        precondition(bytes.count <= buffer.count - count)
        _ = buffer[count...].initialize(fromContentsOf: bytes)
        count += bytes.count
    }

    /// Writes a byte as `%XX`.
    package mutating func write(percentEncoded byte: UInt8) {
        write(UInt8(ascii: "%"))
        write([UInt8].hexDigit(byte >> 4))
        write([UInt8].hexDigit(byte & 0xF))
    }

    /// Writes the UTF-8 of a text as it is.
    package mutating func write(verbatim text: String) { text.withBytes { write($0) } }

    /// Writes the UTF-8 of a text.
    /// - Parameter spaceIsPlus: true writes a space as `+`.
    package mutating func write(_ text: String, except unescaped: UnescapedCharacters, spaceIsPlus: Bool = false) {
        text.withBytes { bytes in
            for byte in bytes {
                if unescaped.contains(byte) {
                    write(byte)
                } else if byte == 0x20, spaceIsPlus {
                    write(UInt8(ascii: "+"))
                } else {
                    write(percentEncoded: byte)
                }
            }
        }
    }
}

extension UnescapedCharacters {
    /// The memory for an encoded text: the length of a long one, and for a short one, at once, the most that it can be.
    package func capacity(for text: String, spaceIsPlus: Bool = false) -> Int {
        if text.utf8.count <= 64 { return text.utf8.count * 3 }
        return text.withBytes { bytes in
            bytes.reduce(bytes.count) { contains($1) || spaceIsPlus && $1 == 0x20 ? $0 : $0 + 2 }
        }
    }
}

extension String {
    /// Calls `body` with the UTF-8, without a copy of the string where it has one.
    fileprivate func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return copy.withUTF8(body)
    }
}
