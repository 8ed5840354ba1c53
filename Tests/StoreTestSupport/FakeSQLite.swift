package import SQLiteStore
package import SystemLibraries

/// The system's SQLite with some statements replaced, to simulate other builds.
package enum FakeSQLite {
    /// Claims to support encryption; it does not encrypt, but tests how a store handles keys.
    package static func cipher(version: @escaping SQLiteFunctions.VersionNumber) throws -> SQLiteLibrary {
        try library(version: version) { database, text, count, flags, statement, tail in
            prepare(
                database, text, count, flags, statement, tail, "PRAGMA cipher_version", "SELECT '4.5.6 community'")
        }
    }

    /// Cannot use WAL, as on a file system without shared memory.
    package static func withoutWAL() throws -> SQLiteLibrary {
        try library { database, text, count, flags, statement, tail in
            prepare(
                database, text, count, flags, statement, tail, "PRAGMA journal_mode = WAL",
                "PRAGMA journal_mode = DELETE")
        }
    }

    /// Reports a corrupt page in every integrity check.
    package static func reportingCorruption() throws -> SQLiteLibrary {
        try library { database, text, count, flags, statement, tail in
            prepare(
                database, text, count, flags, statement, tail, "PRAGMA integrity_check", "SELECT 'page 1 is damaged'")
        }
    }

    private static func library(
        version: SQLiteFunctions.VersionNumber? = nil, prepare: @escaping SQLiteFunctions.Prepare
    ) throws -> SQLiteLibrary {
        let real = try DynamicLibrary(SQLiteFunctions.libraryName)
        return SQLiteLibrary(
            .success(
                try SQLiteFunctions { symbol throws(SystemLibraryError) in
                    switch symbol {
                    case "sqlite3_prepare_v3": unsafeBitCast(prepare, to: UnsafeMutableRawPointer.self)
                    case "sqlite3_libversion_number" where version != nil:
                        unsafeBitCast(version, to: UnsafeMutableRawPointer.self)
                    default: try real.address(of: symbol)
                    }
                }))
    }
}

/// Prepares a statement, substituting `other` when its text is `replaced`.
private func prepare(
    _ database: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ count: CInt, _ flags: CUnsignedInt,
    _ statement: UnsafeMutablePointer<OpaquePointer?>?,
    _ tail: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ replaced: String, _ other: String
) -> CInt {
    guard let text, let real = try? SQLiteFunctions.system.get() else { return 21 /* SQLITE_MISUSE */ }
    guard String(cString: text) == replaced else {
        return real.prepare(database, text, count, flags, statement, tail)
    }
    return other.withCString { real.prepare(database, $0, -1, flags, statement, nil) }
}
