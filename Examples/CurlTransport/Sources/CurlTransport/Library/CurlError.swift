import Foundation
public import PatchbayErrors

/// A failure of libcurl: it cannot be loaded, or a transfer failed. It is the cause of a `TransportError`.
public struct CurlError: PatchbayError, Hashable {
    /// The kind of error.
    public let code: Code
    /// The problem and its remedy, for developers.
    public let message: String
    /// libcurl's result code (`CURLcode`) of a failed transfer; else nil.
    public let curlCode: Int?

    init(_ code: Code, _ message: String, curlCode: Int? = nil) {
        self.code = code
        self.message = message
        self.curlCode = curlCode
    }
}

extension ErrorCode where Failure == CurlError {
    /// `libcurl.so.4` is not installed, or cannot be loaded into this process.
    public static var missingLibrary: Self { Self(1) }
    /// libcurl is older than ``CurlTransport/minimumLibraryVersion``, or lacks TLS.
    public static var outdatedLibrary: Self { Self(2) }
    /// The library lacks a function, so it is an incompatible version or another library.
    public static var missingFunction: Self { Self(3) }
    /// A transfer failed; ``CurlError/curlCode`` tells how.
    public static var transfer: Self { Self(4) }
}
