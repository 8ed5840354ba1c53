/// Functions of SQLite's online backup (sqlite.org/c3ref/backup_finish.html).
package struct SQLiteBackupFunctions: Sendable {
    package typealias Begin =
        @convention(c) @Sendable (
            _ destination: OpaquePointer?, _ schema: UnsafePointer<CChar>?, _ source: OpaquePointer?,
            _ sourceSchema: UnsafePointer<CChar>?
        ) -> OpaquePointer?

    /// Returns a backup, or nil after an error of the destination.
    package let begin: Begin
    /// Copies up to the given number of pages; all remaining ones for a negative number.
    package let step: SQLiteFunctions.HandleIntFunction
    /// Frees the backup, and rolls the destination back unless all pages were copied.
    package let finish: SQLiteFunctions.HandleFunction
    package let remainingPages: SQLiteFunctions.HandleFunction
    package let totalPages: SQLiteFunctions.HandleFunction

    /// Looks up all functions; see ``SQLiteFunctions``.
    init(
        _ address: (_ symbol: String) throws(SystemLibraryError) -> UnsafeMutableRawPointer
    ) throws(SystemLibraryError) {
        begin = unsafeBitCast(try address("sqlite3_backup_init"), to: Begin.self)
        step = unsafeBitCast(try address("sqlite3_backup_step"), to: SQLiteFunctions.HandleIntFunction.self)
        finish = unsafeBitCast(try address("sqlite3_backup_finish"), to: SQLiteFunctions.HandleFunction.self)
        remainingPages = unsafeBitCast(
            try address("sqlite3_backup_remaining"), to: SQLiteFunctions.HandleFunction.self)
        totalPages = unsafeBitCast(try address("sqlite3_backup_pagecount"), to: SQLiteFunctions.HandleFunction.self)
    }
}
