/// Compression function of SHA-256.
struct SHA256: BlockCompression {
    static let blockSize = 64
    static let lengthSize = 8
    static let isBigEndian = true

    /// Those of SHA-512 begin with the same bits.
    private static let constants = SHA2State<UInt64>.constants.prefix(64).map { UInt32($0 >> 32) }

    private var state = SHA2State<UInt32>(
        words: [
            0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
        ],
        rotations: SHA2State.Rotations(a: (2, 13, 22), e: (6, 11, 25), first: (7, 18, 3), second: (17, 19, 10)))

    mutating func compress(_ block: UnsafeRawBufferPointer) { state.compress(block, Self.constants) }

    var digest: [UInt8] { state.bytes }
}
