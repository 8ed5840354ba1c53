import Foundation
import SystemLibraries

/// Keyed hash of secrets that must be compared and not stored: HMAC with SHA-256 (RFC 2104), 128 bits of it.
struct KeyedHash: Sendable {
    /// The size of a key in bytes.
    static let keySize = 32
    private static let blockSize = 64

    private let inner: [UInt8]
    private let outer: [UInt8]

    /// - Parameter key: up to 64 random bytes.
    init(key: [UInt8]) {
        let padded = key.prefix(Self.blockSize) + Array(repeating: 0, count: max(0, Self.blockSize - key.count))
        inner = padded.map { $0 ^ 0x36 }
        outer = padded.map { $0 ^ 0x5C }
    }

    /// A hash with a random key.
    init() { self.init(key: Self.newKey()) }

    /// Random bytes.
    static func newKey() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<keySize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// The hash as 32 hexadecimal digits.
    func text(of text: String) -> String { self.text(of: Array(text.utf8)) }

    /// The hash as 32 hexadecimal digits.
    func text(of bytes: [UInt8]) -> String {
        // The digest is computed by this package's code where the system has none, and cannot fail then.
        let first = (try? MessageDigest.digest(of: inner + bytes, .sha256)) ?? portable(inner + bytes)
        let second = (try? MessageDigest.digest(of: outer + first, .sha256)) ?? portable(outer + first)
        return second.prefix(16).hexadecimal
    }

    private func portable(_ bytes: [UInt8]) -> [UInt8] {
        let digest = MessageDigest(portable: .sha256)
        digest.update(bytes)
        return (try? digest.finish()) ?? []
    }
}

extension Sequence<UInt8> {
    /// Two lower-case digits for each byte.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in self { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
