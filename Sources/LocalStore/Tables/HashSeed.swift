/// A random key for a store's hash functions, against hash flooding.
///
/// Keys come from servers. With a known hash function, a server could choose colliding keys and make every lookup
/// linear. Each hash is two rounds of folded multiplication: the exclusive or of both halves of a 128-bit product. With
/// one round, keys that are multiples of a power of two would form runs in the table for about one seed in a hundred.
struct HashSeed: Hashable, Sendable {
    private let mask: UInt64
    private let factor: UInt64

    init(using generator: inout some RandomNumberGenerator) {
        mask = generator.next()
        // An odd factor loses no bits of the key.
        factor = generator.next() | 1
    }

    /// A seed from the system's random generator.
    static func random() -> HashSeed {
        var generator = SystemRandomNumberGenerator()
        return HashSeed(using: &generator)
    }

    @inline(__always)
    func hash(_ number: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: Self.fold(keyed(number), 0x9E37_79B9_7F4A_7C15))
    }

    @inline(__always)
    func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 { hash(digest(bytes)) }

    /// The hash of a key's values, equal for equal values (1 and 1.0); nil if one is NULL, which equals nothing.
    func hash(_ values: [SQLValue]) -> UInt32? {
        var state: UInt64?
        for value in values {
            guard let own = word(of: value) else { return nil }
            state = state.map { keyed($0) ^ own } ?? own
        }
        return hash(state ?? 0)
    }

    /// The hash of a value, as of a key with this value alone.
    func hash(_ value: SQLValue) -> UInt32? { word(of: value).map { hash($0) } }

    private func word(of value: SQLValue) -> UInt64? {
        switch value {
        case .null: return nil
        case .integer(let number): return UInt64(bitPattern: number)
        case .real(let number):
            let whole = SQLValue.truncated(number)
            return Double(whole) == number ? UInt64(bitPattern: whole) : number.bitPattern
        case .text(let bytes), .blob(let bytes): return bytes.withUnsafeBytes { digest($0) }
        }
    }

    /// Condenses bytes into one word; injective for up to seven bytes.
    @inline(__always)
    private func digest(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = UInt64(truncatingIfNeeded: bytes.count) << 56
        var index = 0
        while index + 8 <= bytes.count {
            state = keyed(state ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var rest: UInt64 = 0
        while index < bytes.count {
            rest = rest << 8 | UInt64(bytes[index])
            index += 1
        }
        return state ^ rest
    }

    @inline(__always)
    private func keyed(_ word: UInt64) -> UInt64 { Self.fold(word ^ mask, factor) }

    @inline(__always)
    private static func fold(_ word: UInt64, _ factor: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: factor)
        return product.high ^ product.low
    }
}
