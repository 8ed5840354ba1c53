import Foundation
@_exported public import PatchbayErrors

/// Why a store did not do what was asked of it. Nothing of a failed call is kept: what it had changed is rolled back.
///
/// `message` names tables and columns, but never holds a value, a key or the text of a statement.
public struct StoreError: PatchbayError, Hashable {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// A statement or a call names a table that is not there.
        public static let noSuchTable = Code(name: "noSuchTable", number: 1)
        /// A statement or a call names a column that its table does not have.
        public static let noSuchColumn = Code(name: "noSuchColumn", number: 2)
        /// A table of that name is there already.
        public static let tableExists = Code(name: "tableExists", number: 3)
        /// A value breaks a rule of its table: a key that is null or taken, a null where none may be, a check.
        public static let constraint = Code(name: "constraint", number: 4)
        /// The text is not valid SQL, or not one statement; ``StoreError/offset`` says where.
        public static let syntax = Code(name: "syntax", number: 5)
        /// The text is SQL that this store does not know; ``StoreError/feature`` and ``StoreError/offset`` say what.
        public static let unsupportedSQL = Code(name: "unsupportedSQL", number: 6)
        /// Another call or another program kept the store longer than this one was willing to wait. It may be tried
        /// again.
        public static let busy = Code(name: "busy", number: 7)
        /// The disk, or what the store may take of it or of memory, is used up.
        public static let full = Code(name: "full", number: 8)
        /// The file is damaged, or is not a database.
        public static let corrupt = Code(name: "corrupt", number: 9)
        /// The file cannot be opened, read or written.
        public static let io = Code(name: "io", number: 10)
        /// The store may be read only.
        public static let readOnly = Code(name: "readOnly", number: 11)
        /// The file is encrypted, and no key was given.
        public static let keyRequired = Code(name: "keyRequired", number: 12)
        /// The key does not open this file; or a key was given for a file that is not encrypted.
        public static let wrongKey = Code(name: "wrongKey", number: 13)
        /// A key was given, and nothing here can encrypt. No file was made.
        public static let encryptionUnavailable = Code(name: "encryptionUnavailable", number: 14)
        /// The library of the system that the store needs is missing or too old.
        public static let libraryMissing = Code(name: "libraryMissing", number: 15)
        /// The store was closed.
        public static let closed = Code(name: "closed", number: 16)
        /// An argument makes no sense: a name, a count of parameters, a batch that does not fit its table.
        public static let invalidArgument = Code(name: "invalidArgument", number: 17)
        /// A call at the wrong time or place, such as `BEGIN` in a statement or a call from within a row's callback.
        public static let misuse = Code(name: "misuse", number: 18)
        /// A value or a text is longer than the store can hold.
        public static let tooLarge = Code(name: "tooLarge", number: 19)
        /// The statement failed while it ran, for a reason that has no code of its own.
        public static let failed = Code(name: "failed", number: 20)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong and what to do about it, for a developer.
    public let message: String
    /// What the store does not know, when the code is `unsupportedSQL`.
    public var feature: String?
    /// Where in the statement, in bytes of UTF-8 from its start, when that is known.
    public var offset: Int?
    /// SQLite's own (extended) result code, when the failure is SQLite's.
    public var engineCode: Int32?

    /// Makes an error. `message` must not hold values, keys or the text of a statement.
    public init(
        _ code: Code, _ message: String, feature: String? = nil, offset: Int? = nil, engineCode: Int32? = nil
    ) {
        self.code = code
        self.message = message
        self.feature = feature
        self.offset = offset
        self.engineCode = engineCode
    }

    /// SQL that the store does not know.
    /// - Parameters:
    ///   - feature: what it is, in the words of SQL, such as `WINDOW`.
    ///   - offset: where it starts in the statement, in bytes of UTF-8.
    public static func unsupportedSQL(_ feature: String, at offset: Int) -> StoreError {
        StoreError(
            .unsupportedSQL, "This store does not know \(feature).", feature: feature, offset: offset)
    }

    /// The message with the code, the offset, and SQLite's own code.
    public var description: String {
        "\(message) [\(code)\(offset.map { " at byte \($0)" } ?? "")\(engineCode.map { ", SQLite \($0)" } ?? "")]"
    }
}
