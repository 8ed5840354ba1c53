import Foundation

/// Compression function of MD5 (RFC 1321, section 3.4).
struct MD5: BlockCompression {
    static let blockSize = 64
    static let lengthSize = 8
    static let isBigEndian = false

    /// The table T of the RFC: the integer part of 2^32 times the sine of 1 to 64 radians.
    private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
    /// The rotations of each round, for four steps in turn.
    private static let rotations = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]

    private var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]

    mutating func compress(_ block: UnsafeRawBufferPointer) {
        let words = (0..<16).map { UInt32(littleEndian: block.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)) }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let mix: UInt32
            let word: Int
            switch step / 16 {
            case 0: (mix, word) = ((b & c) | (~b & d), step)
            case 1: (mix, word) = ((b & d) | (c & ~d), (5 * step + 1) % 16)
            case 2: (mix, word) = (b ^ c ^ d, (3 * step + 5) % 16)
            default: (mix, word) = (c ^ (b | ~d), (7 * step) % 16)
            }
            let sum = a &+ mix &+ words[word] &+ Self.sines[step]
            let rotated = sum.rotated(right: 32 - Self.rotations[step / 16][step % 4])
            (a, b, c, d) = (d, b &+ rotated, b, c)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
    }

    var digest: [UInt8] { state.flatMap { $0.bytes(isBigEndian: false) } }
}
