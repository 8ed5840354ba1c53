/// Compression function of SHA-1 (FIPS 180-4, section 6.1.2). Its names are those of the standard.
///
/// SHA-1 is broken as a signature. The handshake of WebSocket uses it as a checksum (RFC 6455, section 4.2.2).
struct SHA1: BlockCompression {
    static let blockSize = 64
    static let lengthSize = 8
    static let isBigEndian = true

    private var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]

    var digest: [UInt8] { state.flatMap { $0.bytes(isBigEndian: true) } }

    mutating func compress(_ block: UnsafeRawBufferPointer) {
        var words = (0..<16).map { UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)) }
        for index in 16..<80 {
            let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words.append(word.rotated(right: 31))
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for step in 0..<80 {
            let (mix, constant): (UInt32, UInt32) =
                switch step / 20 {
                case 0: ((b & c) | (~b & d), 0x5A82_7999)
                case 1: (b ^ c ^ d, 0x6ED9_EBA1)
                case 2: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = a.rotated(right: 27) &+ mix &+ e &+ constant &+ words[step]
            (e, d, c, b, a) = (d, c, b.rotated(right: 2), a, next)
        }
        for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
    }
}

extension MessageDigest {
    /// The SHA-1 digest of bytes in memory, by the code of this module.
    package static func sha1(of bytes: [UInt8]) -> [UInt8] {
        var digest = BlockDigest<SHA1>()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }
}
