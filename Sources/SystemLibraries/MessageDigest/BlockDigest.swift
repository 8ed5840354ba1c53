/// Compression function of a Merkle–Damgård hash: MD5 and SHA-2.
protocol BlockCompression {
    /// The size of a block in bytes.
    static var blockSize: Int { get }
    /// The size of the message's length behind the padding, in bytes.
    static var lengthSize: Int { get }
    /// The byte order of that length.
    static var isBigEndian: Bool { get }

    init()
    /// Adds a block of ``blockSize`` bytes to the state.
    mutating func compress(_ block: UnsafeRawBufferPointer)
    /// The state as bytes.
    var digest: [UInt8] { get }
}

/// Cuts a message into blocks, and pads its end: a bit 1, zeros, and the length in bits.
struct BlockDigest<Compression: BlockCompression>: DigestEngine {
    private var compression = Compression()
    /// The bytes after the last complete block.
    private var pending: [UInt8] = []
    private var byteCount: UInt64 = 0

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        byteCount &+= UInt64(bytes.count)
        var rest = bytes[...]
        if !pending.isEmpty {
            let part = rest.prefix(Compression.blockSize - pending.count)
            pending.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
            guard pending.count == Compression.blockSize else { return }
            let block = pending
            block.withUnsafeBytes { compression.compress($0) }
            pending = []
        }
        while rest.count >= Compression.blockSize {
            compression.compress(UnsafeRawBufferPointer(rebasing: rest.prefix(Compression.blockSize)))
            rest = rest.dropFirst(Compression.blockSize)
        }
        pending.append(contentsOf: rest)
    }

    mutating func finish() -> [UInt8] {
        let bitCount = byteCount &* 8
        let used = (pending.count + 1 + Compression.lengthSize) % Compression.blockSize
        let zeros = (Compression.blockSize - used) % Compression.blockSize + Compression.lengthSize - 8
        var tail: [UInt8] = [0x80]
        tail.append(contentsOf: repeatElement(0, count: zeros))
        tail.append(contentsOf: bitCount.bytes(isBigEndian: Compression.isBigEndian))
        tail.withUnsafeBytes { update($0) }
        return compression.digest
    }
}

extension FixedWidthInteger {
    /// The bytes of an integer.
    func bytes(isBigEndian: Bool) -> [UInt8] {
        withUnsafeBytes(of: isBigEndian ? bigEndian : littleEndian) { Array($0) }
    }

    /// The bits rotated to the right.
    func rotated(right count: Int) -> Self { (self &>> Self(count)) | (self &<< Self(Self.bitWidth - count)) }
}
