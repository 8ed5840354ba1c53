import Foundation
@_exported public import PatchbayErrors

/// Why a library of the system could not be used, or would not do what was asked of it.
///
/// `message` says what to do; it never holds the data that was worked on.
public struct SystemLibraryError: PatchbayError, Hashable {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The library is not installed, or cannot be loaded into this process.
        public static let missingLibrary = Code(name: "missingLibrary", number: 1)
        /// The library was loaded but lacks a function, so it is another version or another library.
        public static let missingFunction = Code(name: "missingFunction", number: 2)
        /// The data is not of the kind that the library reads, or ends too early.
        public static let invalidData = Code(name: "invalidData", number: 3)
        /// The library refused for a reason of its own, such as a lack of memory.
        public static let failed = Code(name: "failed", number: 4)
    }

    /// What kind of failure it is.
    public let code: Code
    /// The file name of the library, such as `libz.so.1`.
    public let library: String
    /// What is wrong and what to do about it, for a developer.
    public let message: String

    package init(_ code: Code, library: String, _ message: String) {
        self.code = code
        self.library = library
        self.message = message
    }

    /// The message with the library and the code.
    public var description: String { "\(message) [\(library): \(code)]" }
}
