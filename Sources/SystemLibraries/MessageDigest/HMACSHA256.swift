/// Keyed hash: HMAC with SHA-256 (RFC 2104).
package struct HMACSHA256: Sendable {
    private static let blockSize = 64

    private let inner: [UInt8]
    private let outer: [UInt8]

    /// - Parameter key: of any length.
    package init(key: [UInt8]) {
        let key = key.count > Self.blockSize ? Self.digest(key, []) : key
        let padded = key + Array(repeating: 0, count: Self.blockSize - key.count)
        inner = padded.map { $0 ^ 0x36 }
        outer = padded.map { $0 ^ 0x5C }
    }

    /// The code of bytes, 32 bytes.
    package func code(of bytes: [UInt8]) -> [UInt8] { Self.digest(outer, Self.digest(inner, bytes)) }

    private static func digest(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
        // The digest is computed by this package's code where the system has none, which cannot fail.
        for digest in [MessageDigest(.sha256), MessageDigest(portable: .sha256)] {
            digest.update(first)
            digest.update(second)
            if let bytes = try? digest.finish() { return bytes }
        }
        return []
    }
}
