import Foundation
@_exported public import PatchbayErrors

/// Error of a system library: missing, incompatible, or failed.
///
/// ``message`` never contains the processed data.
public struct SystemLibraryError: PatchbayError, Hashable {
    /// The kind of error. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name of the constant in Swift.
        public let name: String
        /// The code of the `NSError`.
        public let number: Int

        /// The library is not installed, or cannot be loaded into this process.
        public static let missingLibrary = Code(name: "missingLibrary", number: 1)
        /// The library lacks a function, so it is an incompatible version or another library.
        public static let missingFunction = Code(name: "missingFunction", number: 2)
        /// The data is corrupt, truncated, too large, or of another format.
        public static let invalidData = Code(name: "invalidData", number: 3)
        /// The library call failed, for example for lack of memory.
        public static let failed = Code(name: "failed", number: 4)
    }

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
