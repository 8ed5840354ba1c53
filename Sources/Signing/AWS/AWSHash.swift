import HTTPMessages
import SystemLibraries

/// SHA-256 in hexadecimal digits.
enum AWSHash {
    static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    static func hex(of bytes: [UInt8]) throws -> String {
        String(decoding: try MessageDigest.digest(of: bytes, .sha256).hexDigits, as: UTF8.self)
    }

    /// The hash of a body that can be read again.
    static func hex(of body: HTTPBody) async throws -> String {
        guard !body.isEmpty else { return empty }
        let hash = MessageDigest(.sha256)
        try await ContentDigest.read(body) { hash.update($0) }
        return String(decoding: try hash.finish().hexDigits, as: UTF8.self)
    }
}
