import Foundation
@_exported public import PatchbayErrors

/// Error of a system library: missing, incompatible, or failed.
///
/// ``message`` never contains the processed data.
public struct SystemLibraryError: PatchbayError, Hashable {
    /// The kind of error.
    public let code: Code
    /// The file name of the library, such as `libz.so.1`.
    public let library: String
    /// The problem and its remedy, for developers.
    public let message: String

    package init(_ code: Code, library: String, _ message: String) {
        self.code = code
        self.library = library
        self.message = message
    }

    /// The message, the library and the code.
    public var description: String { "\(message) [\(library): \(code)]" }
}

extension ErrorCode where Failure == SystemLibraryError {
    /// The library is not installed, or cannot be loaded into this process.
    public static var missingLibrary: Self { Self(1) }
    /// The library lacks a function, so it is an incompatible version or another library.
    public static var missingFunction: Self { Self(2) }
    /// The data is corrupt, truncated, too large, or of another format.
    public static var invalidData: Self { Self(3) }
    /// The library call failed, for example for lack of memory.
    public static var failed: Self { Self(4) }
}
