/// Why a store did not do what was asked of it. Nothing of a failed call is kept: what it had changed is rolled back.
///
/// `message` names tables and columns, but never holds a value, a key or the text of a statement.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        /// The code's name, as it is written in Swift.
        public var description: String { name }

        /// A statement or a call names a table that is not there.
        public static let noSuchTable = Code("noSuchTable")
        /// A statement or a call names a column that its table does not have.
        public static let noSuchColumn = Code("noSuchColumn")
        /// A table of that name is there already.
        public static let tableExists = Code("tableExists")
        /// A value breaks a rule of its table: a key that is null or taken, a null where none may be, a check.
        public static let constraint = Code("constraint")
        /// The text is not SQL, or not one statement; ``StoreError/offset`` says where.
        public static let syntax = Code("syntax")
        /// The text is SQL that this store does not know; ``StoreError/feature`` and ``StoreError/offset`` say what.
        public static let unsupportedSQL = Code("unsupportedSQL")
        /// Another call or another program kept the store longer than this one was willing to wait. It may be tried
        /// again.
        public static let busy = Code("busy")
        /// The disk, or what the store may take of it or of memory, is used up.
        public static let full = Code("full")
        /// The file is damaged, or is not a database.
        public static let corrupt = Code("corrupt")
        /// The file cannot be opened, read or written.
        public static let io = Code("io")
        /// The store may be read only.
        public static let readOnly = Code("readOnly")
        /// The file is encrypted, and no key was given.
        public static let keyRequired = Code("keyRequired")
        /// The key does not open this file; or a key was given for a file that is not encrypted.
        public static let wrongKey = Code("wrongKey")
        /// A key was given, and nothing here can encrypt. No file was made.
        public static let encryptionUnavailable = Code("encryptionUnavailable")
        /// The library of the system that the store needs is missing or too old.
        public static let libraryMissing = Code("libraryMissing")
        /// The store was closed.
        public static let closed = Code("closed")
        /// An argument makes no sense: a name, a count of parameters, a batch that does not fit its table.
        public static let invalidArgument = Code("invalidArgument")
        /// A call at the wrong time or place, such as `BEGIN` in a statement or a call from within a row's callback.
        public static let misuse = Code("misuse")
        /// A value or a text is longer than the store can hold.
        public static let tooLarge = Code("tooLarge")
        /// The statement failed while it ran, for a reason that has no code of its own.
        public static let failed = Code("failed")
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
            .unsupportedSQL, "This store does not know \(feature) (byte \(offset) of the statement).",
            feature: feature, offset: offset)
    }

    /// The message with the code, and SQLite's own code.
    public var description: String { "\(message) [\(code)\(engineCode.map { ", SQLite \($0)" } ?? "")]" }
}
