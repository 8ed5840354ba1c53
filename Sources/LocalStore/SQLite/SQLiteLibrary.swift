package import SystemLibraries

/// The SQLite that a store works with.
///
/// ```swift
/// var configuration = SQLiteStore.Configuration()
/// configuration.library = SQLiteLibrary(loading: "libsqlcipher.so.0")     // an SQLCipher that the app brings
/// ```
public struct SQLiteLibrary: Sendable {
    private let functions: Result<SQLiteFunctions, SystemLibraryError>

    /// The system's: the SDK's on Apple's platforms, elsewhere `libsqlite3.so.0`, looked for when it is first needed.
    public static let system = SQLiteLibrary(SQLiteFunctions.system)

    /// Another library with SQLite's functions, such as SQLCipher, which can encrypt. A library that cannot be loaded
    /// is an error when a store is opened.
    /// - Parameter name: its file name, or a path; whoever chooses it chooses code that this process runs.
    public init(loading name: String) {
        functions = Result { () throws(SystemLibraryError) in try SQLiteFunctions.load(from: name, isIsolated: true) }
    }

    package init(_ functions: Result<SQLiteFunctions, SystemLibraryError>) { self.functions = functions }

    /// True when a store can be opened with it.
    public var isAvailable: Bool { (try? load()) != nil }

    /// The library's version, such as 3040001 for 3.40.1; nil when it is missing.
    public var versionNumber: Int? { (try? functions.get()).map { Int($0.versionNumber()) } }

    /// UPSERT came with it.
    static let oldestVersion = 3_024_000

    /// The functions.
    /// - Throws: `StoreError` (`libraryMissing`) when the library is missing, or older than 3.24.
    package func load() throws(StoreError) -> SQLiteFunctions {
        let loaded: SQLiteFunctions
        do throws(SystemLibraryError) { loaded = try functions.get() } catch {
            throw StoreError(
                .libraryMissing,
                "\(error.message) On Debian and Ubuntu it is the package libsqlite3-0. A MemoryStore needs no library.")
        }
        guard loaded.versionNumber() >= Self.oldestVersion else {
            throw StoreError(
                .libraryMissing,
                "This SQLite is version number \(loaded.versionNumber()); a store needs 3.24 (\(Self.oldestVersion)).")
        }
        return loaded
    }
}
