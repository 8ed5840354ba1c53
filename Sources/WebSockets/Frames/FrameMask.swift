/// The masking of payloads (RFC 6455, section 5.3): exclusive or with a key of four bytes. It is its own inverse.
enum FrameMask {
    /// Masks bytes in place.
    /// - Parameters:
    ///   - key: the key, in the order of its bytes.
    ///   - offset: the number of bytes of the payload before these.
    static func apply(_ key: UInt32, to bytes: UnsafeMutableRawBufferPointer, offset: Int) {
        // The key as it applies to the first of these bytes.
        let shift = UInt32(offset & 3) &* 8
        let ordered = UInt32(littleEndian: key)
        let rotated = shift == 0 ? ordered : ordered &>> shift | ordered &<< (32 - shift)
        let wide = (UInt64(rotated) << 32 | UInt64(rotated)).littleEndian
        var index = 0
        // Eight bytes at a time.
        while index &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        var rest = rotated
        while index < bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: rest)
            rest = rest &>> 8 | rest &<< 24
            index &+= 1
        }
    }
}
