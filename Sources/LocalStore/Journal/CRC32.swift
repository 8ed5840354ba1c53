/// CRC-32 (IEEE 802.3) with slicing-by-8: eight bytes per step, one table lookup each. It checks the journal's frames.
enum CRC32 {
    /// Table 0 is the classic byte-wise one; table *n* advances an entry by *n* further zero bytes.
    private static let tables: [[UInt32]] = {
        var tables = [[UInt32]](repeating: [UInt32](repeating: 0, count: 256), count: 8)
        for byte in 0..<256 {
            var remainder = UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
            tables[0][byte] = remainder
        }
        for table in 1..<8 {
            for byte in 0..<256 {
                let last = tables[table - 1][byte]
                tables[table][byte] = last >> 8 ^ tables[0][Int(last & 0xFF)]
            }
        }
        return tables
    }()

    private static let table: [UInt32] = tables.flatMap(\.self)

    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            var state = ~UInt32(0)
            var index = 0
            while index + 8 <= bytes.count {
                let low = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)) ^ state
                let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self))
                let first = table[1792 + Int(low & 0xFF)] ^ table[1536 + Int(low >> 8 & 0xFF)]
                let second = table[1280 + Int(low >> 16 & 0xFF)] ^ table[1024 + Int(low >> 24)]
                let third = table[768 + Int(high & 0xFF)] ^ table[512 + Int(high >> 8 & 0xFF)]
                state = first ^ second ^ third ^ table[256 + Int(high >> 16 & 0xFF)] ^ table[Int(high >> 24)]
                index += 8
            }
            while index < bytes.count {
                state = state >> 8 ^ table[Int((state ^ UInt32(bytes[index])) & 0xFF)]
                index += 1
            }
            return ~state
        }
    }
}
