import Foundation
@_exported public import PatchbayErrors

/// Error of a store. The changes of a failed call are rolled back.
///
/// `message` names tables, columns and files, but never contains a value, a key or statement text.
public struct StoreError: ValueFreeError, Hashable {
    /// The kind of failure.
    public let code: Code
    /// What is wrong and what to do about it, for a developer.
    public let message: String
    /// The unsupported SQL feature, when the code is `unsupportedSQL`.
    public var feature: String?
    /// UTF-8 byte offset of the error in the statement, if known.
    public var offset: Int?
    /// SQLite's extended result code, for an SQLite error.
    public var engineCode: Int32?

    /// Creates an error. `message` must not contain values, keys or statement text.
    public init(
        _ code: Code, _ message: String, feature: String? = nil, offset: Int? = nil, engineCode: Int32? = nil
    ) {
        self.code = code
        self.message = message
        self.feature = feature
        self.offset = offset
        self.engineCode = engineCode
    }

    /// Error for SQL that the store does not support.
    /// - Parameters:
    ///   - feature: the feature in SQL terms, such as `WINDOW`.
    ///   - offset: where it starts in the statement, in UTF-8 bytes.
    public static func unsupportedSQL(_ feature: String, at offset: Int) -> StoreError {
        StoreError(
            .unsupportedSQL, "Unsupported SQL: \(feature).", feature: feature, offset: offset)
    }

    /// The message with the code, the offset and SQLite's result code.
    public var description: String {
        "\(message) [\(code)\(offset.map { " at byte \($0)" } ?? "")\(engineCode.map { ", SQLite \($0)" } ?? "")]"
    }
}

extension ErrorCode where Failure == StoreError {
    /// A statement or a call names a table that does not exist.
    public static var noSuchTable: Self { Self(1) }
    /// A statement or a call names a column that its table does not have.
    public static var noSuchColumn: Self { Self(2) }
    /// A table of that name already exists.
    public static var tableExists: Self { Self(3) }
    /// A value violates a constraint: null or duplicate key, NOT NULL, UNIQUE, CHECK or FOREIGN KEY.
    public static var constraint: Self { Self(4) }
    /// The text is not exactly one valid SQL statement; ``StoreError/offset`` locates the error.
    public static var syntax: Self { Self(5) }
    /// The store does not support this SQL; ``StoreError/feature`` and ``StoreError/offset`` name it.
    public static var unsupportedSQL: Self { Self(6) }
    /// Timed out waiting for another call or program; retry later.
    public static var busy: Self { Self(7) }
    /// The disk is full, or a limit on disk or memory is reached.
    public static var full: Self { Self(8) }
    /// The file is damaged or not a database.
    public static var corrupt: Self { Self(9) }
    /// The file cannot be opened, read or written.
    public static var io: Self { Self(10) }
    /// The file, table or view is read-only.
    public static var readOnly: Self { Self(11) }
    /// The file is encrypted, and no key was given.
    public static var keyRequired: Self { Self(12) }
    /// The key does not open the file, or the file is not encrypted.
    public static var wrongKey: Self { Self(13) }
    /// A key was given, but the SQLite library cannot encrypt. No file was created.
    public static var encryptionUnavailable: Self { Self(14) }
    /// The required system library is missing or too old.
    public static var libraryMissing: Self { Self(15) }
    /// The store is closed.
    public static var closed: Self { Self(16) }
    /// Invalid argument: a name, the number of parameters, or a batch that does not fit its table.
    public static var invalidArgument: Self { Self(17) }
    /// A call at the wrong time or place, such as a `BEGIN` statement or a call from a row callback.
    public static var misuse: Self { Self(18) }
    /// A value or a text exceeds the limits of the store.
    public static var tooLarge: Self { Self(19) }
    /// The statement failed at run time for a reason without its own code.
    public static var failed: Self { Self(20) }
    /// A row does not fit the type that it is decoded into.
    public static var undecodable: Self { Self(21) }
    /// `interrupt()`, the cancellation of the task or the closing of the store ended the call; its changes are undone.
    public static var interrupted: Self { Self(22) }
    /// The applied migration steps of a store are not the first ones of the ``StoreMigrator``.
    public static var migration: Self { Self(23) }
}

extension StoreError {
    /// The error of a call to a closed store.
    package static let closed = StoreError(.closed, "Store is closed; open a new one.")
    /// The error of an interrupted call.
    package static let interrupted = StoreError(
        .interrupted,
        "Call interrupted: by interrupt(), the cancellation of its task, or the closing of the store. Retry it if it "
            + "is still needed.")
}

/// Restores the typed error of `body` where untyped rethrowing callbacks have lost it.
///
/// Inlined into other modules, so that loops in `body` are optimized there.
@inlinable
package func rethrowingStoreErrors<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
    do { return try body() } catch let error as StoreError { throw error } catch {
        throw StoreError(.failed, "Unexpected error in a callback; only a StoreError can be thrown here.")
    }
}
