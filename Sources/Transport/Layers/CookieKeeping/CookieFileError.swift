import Foundation
@_exported public import PatchbayErrors

/// A failure to read or write an ``EncryptedCookieFile``.
///
/// `description` contains the file name without its folder, and neither cookies nor the key.
public struct CookieFileError: PatchbayError {
    /// The kind of failure.
    public let code: Code
    /// What is wrong, and what to do about it.
    public let message: String
    /// The system's error.
    public var underlying: (any Error)?

    /// Creates an error. `message` must not contain secrets.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension ErrorCode where Failure == CookieFileError {
    /// The file was written with another key, or the 16 bytes of it that tell the key were changed.
    public static var wrongKey: Self { Self(1) }
    /// The file is no encrypted cookie file, has an unknown version, or other bytes of it were changed.
    public static var damaged: Self { Self(2) }
    /// The file cannot be read, written or deleted; see ``CookieFileError/underlying``.
    public static var storage: Self { Self(3) }
    /// The key does not have 32 bytes.
    public static var invalidKey: Self { Self(4) }
}
