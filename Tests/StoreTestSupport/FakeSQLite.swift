package import SQLiteStore
package import Synchronization
package import SystemLibraries

/// The system's SQLite with some statements replaced, to simulate other builds.
package enum FakeSQLite {
    /// Claims to support encryption; it does not encrypt, but tests how a store handles keys.
    ///
    /// `PRAGMA rekey` fails for a key with the prefix `rekeyfails`, and `PRAGMA key` for one with `keyfails`. One with
    /// `prooffails` replaces the old key, which is wrong from then on, but the next `PRAGMA key` with it fails.
    package static func cipher(version: @escaping SQLiteFunctions.VersionNumber) throws -> SQLiteLibrary {
        try library(version: version) { database, text, count, flags, statement, tail in
            if let text, String(cString: text).contains("key = ") {
                let text = String(cString: text)
                FakeSQLite.keyStatementLog.withLock { $0.append(text) }
                let fails = FakeSQLite.keys.withLock { $0.use(text, on: UInt(bitPattern: database)) }
                if fails || text.hasPrefix("PRAGMA rekey = 'rekeyfails") || text.hasPrefix("PRAGMA key = 'keyfails") {
                    return prepare(database, text, -1, flags, statement, nil, text, overflow)
                }
            }
            if let text, String(cString: text) == "SELECT count(*) FROM sqlite_master",
                FakeSQLite.keys.withLock({ $0.hasWrongKey(UInt(bitPattern: database)) })
            {
                return 26 /* SQLITE_NOTADB */
            }
            return prepare(
                database, text, count, flags, statement, tail, "PRAGMA cipher_version", "SELECT '4.5.6 community'")
        }
    }

    /// The statements that passed a key to ``cipher(version:)``, in this process, and contain a text.
    package static func keyStatements(with part: String) -> [String] {
        keyStatementLog.withLock { $0.filter { $0.contains(part) } }
    }

    private static let keyStatementLog = Mutex<[String]>([])
    private static let keys = Mutex(Keys())

    /// The keys of ``cipher(version:)``, quoted.
    private struct Keys {
        /// The key of each connection, by its address.
        private var current: [UInt: String] = [:]
        /// Those that were replaced by one with the prefix `prooffails`.
        private var replaced: Set<String> = []
        /// Those that fail once.
        private var failing: Set<String> = []

        /// Runs a statement that passes a key.
        /// - Returns: true when it fails.
        mutating func use(_ statement: String, on database: UInt) -> Bool {
            let key = String(statement.drop { $0 != "'" })
            if statement.hasPrefix("PRAGMA rekey"), key.hasPrefix("'prooffails") {
                if let old = current[database] { replaced.insert(old) }
                failing.insert(key)
            }
            current[database] = key
            return statement.hasPrefix("PRAGMA key") && failing.remove(key) != nil
        }

        /// Asked once for each connection, which is closed if it is true: the next one may have its address.
        mutating func hasWrongKey(_ database: UInt) -> Bool {
            guard let key = current[database], replaced.contains(key) else { return false }
            current[database] = nil
            return true
        }
    }

    /// Lacks some functions, as an older build may.
    package static func without(
        _ symbols: Set<String>, version: SQLiteFunctions.VersionNumber? = nil
    ) throws -> SQLiteLibrary {
        let real = try DynamicLibrary(SQLiteFunctions.libraryName)
        return SQLiteLibrary(
            Result { () throws(SystemLibraryError) in
                try SQLiteFunctions { symbol throws(SystemLibraryError) in
                    switch symbol {
                    case "sqlite3_libversion_number" where version != nil:
                        unsafeBitCast(version, to: UnsafeMutableRawPointer.self)
                    default: try real.address(of: symbols.contains(symbol) ? "no_\(symbol)" : symbol)
                    }
                }
            })
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

    /// Fails to run each `PRAGMA foreign_keys = OFF`, which takes effect while it is prepared.
    package static func failingForeignKeysOff() throws -> SQLiteLibrary {
        try library { database, text, count, flags, statement, tail in
            let off = "PRAGMA foreign_keys = OFF"
            if let text, String(cString: text) == off, let real = try? SQLiteFunctions.system.get() {
                var pragma: OpaquePointer?
                _ = real.prepare(database, text, count, flags, &pragma, nil)
                _ = real.finalize(pragma)
            }
            return prepare(database, text, count, flags, statement, tail, off, overflow)
        }
    }

    /// When SQLite finds that another connection has changed the schema.
    package enum SchemaChange: Sendable {
        case compiling
        case running
    }

    /// The number of calls that find a changed schema, in libraries of ``withSchemaChanges(_:)``.
    package static let remainingSchemaChanges = Mutex(0)

    private static func takeSchemaChange() -> Bool {
        remainingSchemaChanges.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
    }

    /// Finds changed schemas; see ``remainingSchemaChanges``. One test at a time may use it.
    package static func withSchemaChanges(_ change: SchemaChange) throws -> SQLiteLibrary {
        let prepare: SQLiteFunctions.Prepare = { database, text, count, flags, statement, tail in
            guard let real = try? SQLiteFunctions.system.get(), !FakeSQLite.takeSchemaChange() else {
                return schemaChanged
            }
            return real.prepare(database, text, count, flags, statement, tail)
        }
        let step: SQLiteFunctions.HandleFunction = { statement in
            guard let real = try? SQLiteFunctions.system.get(), !FakeSQLite.takeSchemaChange() else {
                return schemaChanged
            }
            return real.step(statement)
        }
        let real = try DynamicLibrary(SQLiteFunctions.libraryName)
        return SQLiteLibrary(
            .success(
                try SQLiteFunctions { symbol throws(SystemLibraryError) in
                    switch (symbol, change) {
                    case ("sqlite3_prepare_v3", .compiling): unsafeBitCast(prepare, to: UnsafeMutableRawPointer.self)
                    case ("sqlite3_step", .running): unsafeBitCast(step, to: UnsafeMutableRawPointer.self)
                    default: try real.address(of: symbol)
                    }
                }))
    }

    /// A call of a function that ``observed()`` reports.
    package enum Call: Equatable, Sendable {
        /// `sqlite3_step` is about to return.
        case step(sql: String)
        /// `sqlite3_close_v2` begins.
        case close
    }

    /// Reports calls to ``observer``, on their threads. One test at a time may use it.
    package static func observed() throws -> SQLiteLibrary {
        let step: SQLiteFunctions.HandleFunction = { statement in
            guard let real = try? SQLiteFunctions.system.get() else { return 21 /* SQLITE_MISUSE */ }
            let code = real.step(statement)
            if let text = FakeSQLite.statementText?(statement) {
                FakeSQLite.observer.withLock { $0 }?(.step(sql: String(cString: text)))
            }
            return code
        }
        let close: SQLiteFunctions.HandleFunction = { database in
            guard let real = try? SQLiteFunctions.system.get() else { return 21 /* SQLITE_MISUSE */ }
            FakeSQLite.observer.withLock { $0 }?(.close)
            return real.close(database)
        }
        let real = try DynamicLibrary(SQLiteFunctions.libraryName)
        return SQLiteLibrary(
            .success(
                try SQLiteFunctions { symbol throws(SystemLibraryError) in
                    switch symbol {
                    case "sqlite3_step": unsafeBitCast(step, to: UnsafeMutableRawPointer.self)
                    case "sqlite3_close_v2": unsafeBitCast(close, to: UnsafeMutableRawPointer.self)
                    default: try real.address(of: symbol)
                    }
                }))
    }

    /// Receives the calls of ``observed()``.
    package static let observer = Mutex<(@Sendable (Call) -> Void)?>(nil)

    private typealias StatementText = @convention(c) @Sendable (OpaquePointer?) -> UnsafePointer<CChar>?
    private static let statementText: StatementText? = {
        let library = try? DynamicLibrary(SQLiteFunctions.libraryName)
        return (try? library?.address(of: "sqlite3_sql")).map { unsafeBitCast($0, to: StatementText.self) }
    }()

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

/// `SQLITE_SCHEMA`.
private let schemaChanged: CInt = 17

/// A statement that fails with `integer overflow`.
private let overflow = "SELECT abs(-9223372036854775807 - 1)"

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
