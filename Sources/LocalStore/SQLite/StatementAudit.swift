import Foundation
import Synchronization
import SystemLibraries

/// What a statement would do, heard from SQLite while it compiles it.
struct StatementEffects: Sendable {
    /// The tables that it writes or changes.
    var tables: Set<SQLIdentifier> = []
    /// It makes, changes or drops a table.
    var definesTables = false
    /// It names a table anew, so that a table of a name that is not known here is there afterwards.
    var renamesTables = false
    /// It changes the schema: tables, indexes, views or triggers.
    var changesSchema = false
    /// It does more than to insert what it names itself: it has a query in it, updates, deletes, or a trigger runs.
    var doesMoreThanInsert = false
    /// It begins or ends a transaction.
    var controlsTransaction = false
    /// It asks what its own connection wrote last.
    var asksOfWrites = false
    /// What else it would do that a store does not let it, in the words of SQL.
    var forbidden: String?

    /// True when a failure may come after a part was done. SQLite does not always take that part back: `OR FAIL` keeps
    /// it, and in a transaction so may any other conflict clause. One row that is inserted is checked before it is
    /// written; several are a query to SQLite.
    var mayEndInPart: Bool { !tables.isEmpty && (doesMoreThanInsert || tables.count > 1) }

    /// Why a caller may not run the statement; nil when it may.
    var refusal: StoreError? {
        if controlsTransaction {
            return StoreError(.misuse, "A statement cannot begin or end a transaction; use transaction(_:).")
        }
        return forbidden.map {
            StoreError(.unsupportedSQL, "A store does not run \($0) statements like this.", feature: $0)
        }
    }
}

/// Collects the effects of the statements that a connection compiles.
final class StatementAudit: Sendable {
    private let effects = Mutex(StatementEffects())

    /// The effects heard of since it was asked last.
    func take() -> StatementEffects {
        effects.withLock { effects in
            defer { effects = StatementEffects() }
            return effects
        }
    }

    /// Has SQLite tell this object of each action. The connection keeps it alive.
    func listen(to database: OpaquePointer?, _ functions: SQLiteFunctions) {
        let hear: SQLiteFunctions.Authorizer = { context, action, first, second, _, trigger in
            guard let context else { return SQLiteConstant.ok }
            Unmanaged<StatementAudit>.fromOpaque(context).takeUnretainedValue()
                .hear(action, first, second, isInTrigger: trigger != nil)
            // `VACUUM INTO` shows only while it runs that it would write another file. A plain one names none.
            let isOtherFile = action == SQLiteConstant.attach && first?.pointee != 0
            return isOtherFile ? SQLiteConstant.deny : SQLiteConstant.ok
        }
        _ = functions.setAuthorizer(database, hear, Unmanaged.passUnretained(self).toOpaque())
    }

    private func hear(
        _ action: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?, isInTrigger: Bool
    ) {
        switch action {
        case SQLiteConstant.insert: touch(first, isPlainInsert: !isInTrigger)
        case SQLiteConstant.update, SQLiteConstant.delete: touch(first)
        case SQLiteConstant.select: effects.withLock { $0.doesMoreThanInsert = true }
        case SQLiteConstant.createTable, SQLiteConstant.dropTable, SQLiteConstant.createVirtualTable,
            SQLiteConstant.dropVirtualTable:
            touch(first)
            effects.withLock { $0.definesTables = true }
        case SQLiteConstant.alterTable:
            touch(second)
            effects.withLock {
                $0.definesTables = true
                $0.renamesTables = true
            }
        case SQLiteConstant.transaction, SQLiteConstant.savepoint:
            effects.withLock { $0.controlsTransaction = true }
        case SQLiteConstant.function:
            let name = second.map { String(cString: $0).lowercased() } ?? ""
            if Self.functionsOfWrites.contains(name) { effects.withLock { $0.asksOfWrites = true } }
        case SQLiteConstant.attach, SQLiteConstant.detach: forbid("ATTACH")
        case SQLiteConstant.createTemporaryTable, SQLiteConstant.createTemporaryView,
            SQLiteConstant.createTemporaryIndex, SQLiteConstant.createTemporaryTrigger:
            // Each reader has a connection of its own, and would not see it.
            forbid("TEMP")
        case SQLiteConstant.pragma:
            let name = first.map { String(cString: $0).lowercased() } ?? ""
            let isKnown = second == nil ? Self.questions.contains(name) : Self.questionsAboutSomething.contains(name)
            if !isKnown { forbid("PRAGMA") }
        default: break
        }
    }

    private func touch(_ name: UnsafePointer<CChar>?, isPlainInsert: Bool = false) {
        guard let name else { return }
        let text = String(cString: name)
        let isOwnTable = !text.lowercased().hasPrefix("sqlite_")
        effects.withLock { effects in
            if isOwnTable { effects.tables.insert(SQLIdentifier(text)) }
            if !isPlainInsert { effects.doesMoreThanInsert = true }
            if Self.schemaTables.contains(text) { effects.changesSchema = true }
        }
    }

    /// Where SQLite keeps the schema.
    private static let schemaTables: Set<String> = ["sqlite_master", "sqlite_schema"]

    private func forbid(_ feature: String) { effects.withLock { $0.forbidden = feature } }

    /// Functions whose answer is another one on each connection.
    private static let functionsOfWrites: Set<String> = ["changes", "last_insert_rowid", "total_changes"]

    // Pragmas that tell something. Those that set something set it for one of several connections, or take back what
    // the store promises.
    private static let questions: Set<String> = [
        "application_id", "collation_list", "compile_options", "database_list", "encoding", "foreign_key_check",
        "freelist_count", "function_list", "integrity_check", "journal_mode", "page_count", "page_size",
        "quick_check", "schema_version", "table_list", "user_version",
    ]
    private static let questionsAboutSomething: Set<String> = [
        "application_id", "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo",
        "integrity_check", "quick_check", "table_info", "table_list", "table_xinfo", "user_version",
    ]
}
