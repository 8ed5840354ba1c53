/// Entry of a ``JSONTape``: the kind of a value, where it starts in the text, and a payload.
struct TapeEntry {
    /// Kind of a value.
    enum Kind: UInt8 {
        case null, `false`, `true`
        /// The payload is an `Int64`.
        case integer
        /// An integer beyond `Int64`; the payload is a `UInt64`.
        case unsigned
        /// The payload is the nearest `Double`, which may differ from the decimal number.
        case real
        /// A number that a `Double` may not hold, such as `1e400`; it is read from the text.
        case number
        /// The payload is the length in bytes; of a key also the values below. The offset is that of the first
        /// character, after the quote.
        case string
        /// A string with escape sequences; the payload is the length of the escaped text.
        case escapedString
        /// The payload is the number of elements, and the index after the last entry of the array.
        case array
        /// The payload is the number of members, and the index after the last entry of the object.
        case object
    }

    /// Flags of an object, set by the scanner or when it is first decoded.
    enum Flag {
        /// A key has escapes or is not ASCII, so that comparing bytes does not suffice.
        static let hasUnusualKeys: UInt64 = 0x20
        /// The keys are known to be distinct, so that the first match is the only one.
        static let hasDistinctKeys: UInt64 = 0x40
        /// The keys are looked up in an index, see ``JSONTape/members(of:)``.
        static let isIndexed: UInt64 = 0x80
        /// The keys are not converted, because the object is decoded as a dictionary.
        static let keepsKeys: UInt64 = 0x10
    }

    /// Kind in the low four bits, then the flags, then the offset from bit 8 on.
    var head: UInt64
    var payload: UInt64

    @inline(__always)
    init(_ kind: Kind, offset: Int, payload: UInt64 = 0) {
        head = UInt64(UInt(bitPattern: offset)) << 8 | UInt64(kind.rawValue)
        self.payload = payload
    }

    /// The second entry of a container: where it is in the one around it, and an expected next key.
    @inline(__always)
    init(parent: Int, ordinal: Int) {
        head = UInt64(UInt32(truncatingIfNeeded: parent)) << 32 | UInt64(UInt32(truncatingIfNeeded: ordinal))
        payload = 0
    }

    @inline(__always)
    var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: head & 0xF)).unsafelyUnwrapped }
    @inline(__always)
    var offset: Int { Int(truncatingIfNeeded: head >> 8) }
    /// Length of a string in bytes.
    @inline(__always)
    var length: Int { Int(truncatingIfNeeded: payload & 0xFFFF_FFFF) }
    /// Hash of a key, once its object is prepared.
    @inline(__always)
    var hash: UInt8 { UInt8(truncatingIfNeeded: payload >> 32) }
    /// Number of entries from a key to the next one, once its object is prepared; 0 if it does not fit.
    @inline(__always)
    var distance: Int { Int(truncatingIfNeeded: payload >> 40) }

    /// Stores the hash of a key, and the number of entries to the next one.
    mutating func setKey(hash: UInt8, distance: Int) {
        payload = payload & 0xFFFF_FFFF | UInt64(hash) << 32 | (distance < 1 << 24 ? UInt64(distance) << 40 : 0)
    }
    /// Number of elements or members of a container.
    @inline(__always)
    var count: Int { Int(truncatingIfNeeded: payload & 0xFFFF_FFFF) }
    /// Index of the entry after a container.
    @inline(__always)
    var end: Int { Int(truncatingIfNeeded: payload >> 32) }

    // Of the second entry of a container.
    @inline(__always)
    var parent: Int { Int(truncatingIfNeeded: head >> 32) }
    @inline(__always)
    var ordinal: Int { Int(truncatingIfNeeded: head & 0xFFFF_FFFF) }
}
