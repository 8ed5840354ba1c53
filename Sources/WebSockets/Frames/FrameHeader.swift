/// The side of a connection: a client masks its frames, a server does not (RFC 6455, section 5.1).
package enum WebSocketRole: Hashable, Sendable, CaseIterable {
    case client, server
}

/// The header of a frame (RFC 6455, section 5.2).
struct FrameHeader: Hashable {
    /// The type of a frame.
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    static let maximumControlPayload = 125

    var isFinal: Bool
    /// The bit RSV1, which marks a compressed message (RFC 7692, section 6).
    var isCompressed: Bool
    var opcode: Opcode
    /// The masking key in the order of its bytes; nil for a frame without a mask.
    var mask: UInt32?
    var length: Int

    /// Parses a header.
    /// - Returns: the header and its size; nil if bytes are missing.
    /// - Throws: `protocolViolation`.
    static func parse(_ bytes: UnsafeRawBufferPointer) throws(WebSocketError) -> (header: FrameHeader, size: Int)? {
        guard bytes.count >= 2 else { return nil }
        guard bytes[0] & 0x30 == 0 else { throw .violation("reserved bits are set without an extension") }
        guard let opcode = Opcode(rawValue: bytes[0] & 0x0F) else {
            throw .violation("opcode \(bytes[0] & 0x0F) is reserved")
        }
        var header = FrameHeader(
            isFinal: bytes[0] & 0x80 != 0, isCompressed: bytes[0] & 0x40 != 0, opcode: opcode,
            length: Int(bytes[1] & 0x7F))
        if opcode.isControl {
            guard header.isFinal else { throw .violation("a control frame is fragmented") }
            guard header.length <= maximumControlPayload else { throw .violation("a control frame is too long") }
        }
        var size = 2
        switch header.length {
        case 126:
            guard bytes.count >= 4 else { return nil }
            header.length = Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
            guard header.length > 125 else { throw .violation("a frame's length is not in its shortest form") }
            size = 4
        case 127:
            guard bytes.count >= 10 else { return nil }
            let length = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
            guard length >> 63 == 0 else { throw .violation("a frame's length has its highest bit set") }
            guard length > 0xFFFF else { throw .violation("a frame's length is not in its shortest form") }
            header.length = Int(clamping: length)
            size = 10
        default: break
        }
        if bytes[1] & 0x80 != 0 {
            guard bytes.count >= size + 4 else { return nil }
            header.mask = bytes.loadUnaligned(fromByteOffset: size, as: UInt32.self)
            size += 4
        }
        return (header, size)
    }

    /// The bytes of the header: at most 14.
    func write(_ write: (UnsafeRawBufferPointer) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: 14, alignment: 8) { bytes in
            bytes[0] = (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue
            let masked: UInt8 = mask == nil ? 0 : 0x80
            var size = 2
            switch length {
            case ...125: bytes[1] = masked | UInt8(length)
            case ...0xFFFF:
                bytes[1] = masked | 126
                bytes.storeBytes(of: UInt16(length).bigEndian, toByteOffset: 2, as: UInt16.self)
                size = 4
            default:
                bytes[1] = masked | 127
                bytes.storeBytes(of: UInt64(length).bigEndian, toByteOffset: 2, as: UInt64.self)
                size = 10
            }
            if let mask {
                bytes.storeBytes(of: mask, toByteOffset: size, as: UInt32.self)
                size += 4
            }
            write(UnsafeRawBufferPointer(rebasing: bytes[..<size]))
        }
    }
}
