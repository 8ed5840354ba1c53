/// Compression function of SHA-512/256: that of SHA-512 with another initial state, and half of its digest.
struct SHA512T256: BlockCompression {
    static let blockSize = 128
    static let lengthSize = 16
    static let isBigEndian = true

    private var state = SHA2State<UInt64>(
        words: [
            0x2231_2194_FC2B_F72C, 0x9F55_5FA3_C84C_64C2, 0x2393_B86B_6F53_B151, 0x9638_7719_5940_EABD,
            0x9628_3EE2_A88E_FFE3, 0xBE5E_1E25_5386_3992, 0x2B01_99FC_2C85_B8AA, 0x0EB7_2DDC_81C5_2CA2,
        ],
        rotations: .of64Bits)

    mutating func compress(_ block: UnsafeRawBufferPointer) { state.compress(block, SHA2State<UInt64>.constants) }

    var digest: [UInt8] { Array(state.bytes.prefix(32)) }
}
