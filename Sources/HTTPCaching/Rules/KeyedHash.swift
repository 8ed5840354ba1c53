import Foundation
import SystemLibraries

/// Keyed hash of secrets that must be compared and not stored: HMAC with SHA-256 (RFC 2104), 128 bits of it.
struct KeyedHash: Sendable {
    /// The size of a key in bytes.
    static let keySize = 32

    private let hash: HMACSHA256

    /// - Parameter key: random bytes.
    init(key: [UInt8]) { hash = HMACSHA256(key: key) }

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
    func text(of bytes: [UInt8]) -> String { hash.code(of: bytes).prefix(16).hexadecimal }
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
