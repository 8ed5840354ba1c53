/// Compression function of SHA-512.
struct SHA512: BlockCompression {
    static let blockSize = 128
    static let lengthSize = 16
    static let isBigEndian = true

    private var state = SHA2State<UInt64>(
        words: [
            0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1,
            0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F, 0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179,
        ],
        rotations: .of64Bits)

    mutating func compress(_ block: UnsafeRawBufferPointer) { state.compress(block, SHA2State<UInt64>.constants) }

    var digest: [UInt8] { state.bytes }
}
