package import StoreCore
package import SystemLibraries

/// SQLite library used by a store.
///
/// ```swift
/// var configuration = SQLiteStore.Configuration()
/// configuration.library = SQLiteLibrary(loading: "libsqlcipher.so.0")     // the app ships SQLCipher
/// ```
public struct SQLiteLibrary: Sendable {
    private let functions: Result<SQLiteFunctions, SystemLibraryError>

    /// The system library, loaded at first use: `/usr/lib/libsqlite3.dylib` on Apple platforms, else `libsqlite3.so.0`.
    public static let system = SQLiteLibrary(SQLiteFunctions.system)

    /// Another library with SQLite's functions, such as SQLCipher, which supports encryption.
    ///
    /// A library that cannot be loaded is an error when a store is opened.
    /// - Parameter name: its file name or path. The process runs the code of this library, so do not take the name from
    ///   untrusted input.
    public init(loading name: String) {
        functions = Result { () throws(SystemLibraryError) in try SQLiteFunctions.load(from: name, isIsolated: true) }
    }

    package init(_ functions: Result<SQLiteFunctions, SystemLibraryError>) { self.functions = functions }

    /// True when the library can be loaded and is recent enough.
    public var isAvailable: Bool { (try? load()) != nil }

    /// The library's version, such as 3040001 for 3.40.1; nil when it cannot be loaded.
    public var versionNumber: Int? { (try? functions.get()).map { Int($0.versionNumber()) } }

    /// Loads the functions.
    /// - Throws: `StoreError` (`libraryMissing`) when the library is missing or older than 3.24.
    package func load() throws(StoreError) -> SQLiteFunctions {
        let loaded: SQLiteFunctions
        do throws(SystemLibraryError) { loaded = try functions.get() } catch {
            let isSystem = error.code == .missingLibrary && error.library == SQLiteFunctions.libraryName
            let advice = isSystem ? " On Debian and Ubuntu, that is libsqlite3-0; or use a MemoryStore." : ""
            throw StoreError(.libraryMissing, error.message + advice)
        }
        if let error = loaded.versionError { throw StoreError(.libraryMissing, error.message) }
        return loaded
    }
}
