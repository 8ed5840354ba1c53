public import Foundation
public import PatchbayErrors
import SystemLibraries

/// The secret key of an ``EncryptedCookieFile``: 32 random bytes.
public struct CookieFileKey: Hashable, Sendable, RedactedStringConvertible {
    /// The bytes, for a keychain, or a file that only its owner can read.
    public let rawRepresentation: Data

    /// Uses bytes that ``generate()`` has made.
    /// - Throws: ``CookieFileError`` (`invalidKey`) unless there are 32.
    public init(rawRepresentation: Data) throws(CookieFileError) {
        guard rawRepresentation.count == AESGCM.keySize else {
            throw CookieFileError(
                .invalidKey,
                "Invalid key of a cookie file: \(rawRepresentation.count) bytes; use the 32 bytes of a generated key.")
        }
        self.rawRepresentation = rawRepresentation
    }

    private init(random: Data) { rawRepresentation = random }

    /// A new key.
    public static func generate() -> CookieFileKey { CookieFileKey(random: Data(AESGCM.randomBytes(AESGCM.keySize))) }

    /// The type without the bytes.
    public var description: String { "key of a cookie file" }
}
