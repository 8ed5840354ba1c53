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

    /// True when some of it may be what a virtual table compiled while it was connected, at its first use: `rtree` the
    /// statements that write its tables, `fts5` a pragma.
    var mayBeOfModules: Bool { forbidden != nil || tables.count > 1 }

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
    private struct State {
        var effects = StatementEffects()
        var isOwnStatement = false
    }

    private let state = Mutex(State())

    /// Begins to listen to one statement.
    /// - Parameter isOwn: true for a statement of the store's own, which may set something.
    func begin(isOwn: Bool) { state.withLock { $0 = State(isOwnStatement: isOwn) } }

    /// The effects heard of since ``begin(isOwn:)``. What comes after is a caller's.
    func end() -> StatementEffects {
        state.withLock { state in
            defer { state = State() }
            return state.effects
        }
    }

    /// Has SQLite tell this object of each action. The connection keeps it alive.
    func listen(to database: OpaquePointer?, _ functions: SQLiteFunctions) {
        let hear: SQLiteFunctions.Authorizer = { context, action, first, second, _, trigger in
            guard let context else { return SQLiteConstant.ok }
            let isAllowed = Unmanaged<StatementAudit>.fromOpaque(context).takeUnretainedValue()
                .hear(action, first, second, isInTrigger: trigger != nil)
            return isAllowed ? SQLiteConstant.ok : SQLiteConstant.deny
        }
        _ = functions.setAuthorizer(database, hear, Unmanaged.passUnretained(self).toOpaque())
    }

    private func change(_ body: (inout StatementEffects) -> Void) { state.withLock { body(&$0.effects) } }

    /// - Returns: false for what must not even be compiled, or shows only while it runs.
    private func hear(
        _ action: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?, isInTrigger: Bool
    ) -> Bool {
        switch action {
        case SQLiteConstant.insert: touch(first, isPlainInsert: !isInTrigger)
        case SQLiteConstant.update, SQLiteConstant.delete: touch(first)
        case SQLiteConstant.select: change { $0.doesMoreThanInsert = true }
        case SQLiteConstant.createTable, SQLiteConstant.dropTable, SQLiteConstant.createVirtualTable,
            SQLiteConstant.dropVirtualTable:
            touch(first)
            change { $0.definesTables = true }
        case SQLiteConstant.alterTable:
            touch(second)
            change {
                $0.definesTables = true
                $0.renamesTables = true
            }
        case SQLiteConstant.transaction, SQLiteConstant.savepoint:
            change { $0.controlsTransaction = true }
        case SQLiteConstant.function:
            let name = second.map { String(cString: $0).lowercased() } ?? ""
            if Self.functionsOfWrites.contains(name) { change { $0.asksOfWrites = true } }
        case SQLiteConstant.attach:
            forbid("ATTACH")
            // `VACUUM INTO` shows only while it runs that it would write another file. A plain one names none.
            return first?.pointee == 0
        case SQLiteConstant.detach: forbid("ATTACH")
        case SQLiteConstant.createTemporaryTable, SQLiteConstant.createTemporaryView,
            SQLiteConstant.createTemporaryIndex, SQLiteConstant.createTemporaryTrigger:
            // Each reader has a connection of its own, and would not see it.
            forbid("TEMP")
        case SQLiteConstant.pragma:
            let name = first.map { String(cString: $0).lowercased() } ?? ""
            let isKnown = second == nil ? Self.questions.contains(name) : Self.questionsAboutSomething.contains(name)
            guard !isKnown else { return true }
            forbid("PRAGMA")
            // Many pragmas act as soon as they are compiled.
            let isModules = second == nil && Self.questionsOfModules.contains(name)
            return isModules || state.withLock(\.isOwnStatement)
        default: break
        }
        return true
    }

    private func touch(_ name: UnsafePointer<CChar>?, isPlainInsert: Bool = false) {
        guard let name else { return }
        let text = String(cString: name)
        let isOwnTable = !text.lowercased().hasPrefix("sqlite_")
        change { effects in
            if isOwnTable { effects.tables.insert(SQLIdentifier(text)) }
            if !isPlainInsert { effects.doesMoreThanInsert = true }
            if Self.schemaTables.contains(text) { effects.changesSchema = true }
        }
    }

    /// Where SQLite keeps the schema.
    private static let schemaTables: Set<String> = ["sqlite_master", "sqlite_schema"]

    private func forbid(_ feature: String) { change { $0.forbidden = feature } }

    /// What virtual tables ask while they connect; the answer is another one on each connection.
    private static let questionsOfModules: Set<String> = ["data_version"]

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
