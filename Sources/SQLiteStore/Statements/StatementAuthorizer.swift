import Foundation
import StoreCore
import Synchronization
import SystemLibraries

/// SQLite authorizer of a connection: records the effects of each prepared statement and denies forbidden ones.
final class StatementAuthorizer: Sendable {
    private struct State {
        var effects = StatementEffects()
        var isInternalStatement = false
    }

    private let state = Mutex(State())
    /// True while the store itself attaches a file.
    private let allowsAttachments = Atomic(false)

    func allowAttachments(_ isAllowed: Bool) { allowsAttachments.store(isAllowed, ordering: .relaxed) }

    /// Starts recording for a new statement.
    /// - Parameter isInternal: true for the store's own statements, which may change settings.
    func reset(isInternal: Bool) { state.withLock { $0 = State(isInternalStatement: isInternal) } }

    /// Returns the effects since ``reset(isInternal:)`` and starts recording for callers' statements.
    func takeEffects() -> StatementEffects {
        state.withLock { state in
            defer { state = State() }
            return state.effects
        }
    }

    /// Registers this object as the authorizer. The connection keeps it alive.
    func install(on database: OpaquePointer?, _ functions: SQLiteFunctions) {
        let callback: SQLiteFunctions.Authorizer = { context, action, first, second, _, trigger in
            guard let context else { return SQLiteConstant.ok }
            let isAllowed = Unmanaged<StatementAuthorizer>.fromOpaque(context).takeUnretainedValue()
                .authorize(action, first, second, isInTrigger: trigger != nil)
            return isAllowed ? SQLiteConstant.ok : SQLiteConstant.deny
        }
        _ = functions.setAuthorizer(database, callback, Unmanaged.passUnretained(self).toOpaque())
    }

    private func change(_ body: (inout StatementEffects) -> Void) { state.withLock { body(&$0.effects) } }

    /// - Returns: false for actions that must be denied already while preparing; others are only recorded.
    private func authorize(
        _ action: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?, isInTrigger: Bool
    ) -> Bool {
        switch action {
        case SQLiteConstant.insert: record(first, isPlainInsert: !isInTrigger)
        case SQLiteConstant.update, SQLiteConstant.delete: record(first)
        case SQLiteConstant.read: recordRead(first)
        case SQLiteConstant.select: change { $0.doesMoreThanInsert = true }
        case SQLiteConstant.createTable, SQLiteConstant.dropTable, SQLiteConstant.createVirtualTable,
            SQLiteConstant.dropVirtualTable:
            record(first)
            change { $0.definesTables = true }
        case SQLiteConstant.alterTable:
            record(second)
            change {
                $0.definesTables = true
                $0.renamesTables = true
            }
        case SQLiteConstant.transaction, SQLiteConstant.savepoint:
            change { $0.controlsTransaction = true }
        case SQLiteConstant.function:
            let name = second.map { String(cString: $0).lowercased() } ?? ""
            if Self.writeCounterFunctions.contains(name) { change { $0.readsWriteCounters = true } }
        case SQLiteConstant.attach:
            forbid("ATTACH")
            // `VACUUM INTO` reports its file only while running. A plain `VACUUM` attaches a file without a name.
            return first?.pointee == 0 || allowsAttachments.load(ordering: .relaxed)
        case SQLiteConstant.detach: forbid("ATTACH")
        case SQLiteConstant.createTemporaryTable, SQLiteConstant.createTemporaryView,
            SQLiteConstant.createTemporaryIndex, SQLiteConstant.createTemporaryTrigger:
            // Readers have their own connections and would not see it.
            forbid("TEMP")
        case SQLiteConstant.pragma:
            change { $0.tablesRead = nil }
            let name = first.map { String(cString: $0).lowercased() } ?? ""
            let isKnown =
                second == nil ? Self.readOnlyPragmas.contains(name) : Self.readOnlyPragmasWithArgument.contains(name)
            guard !isKnown else { return true }
            forbid("PRAGMA")
            // Many pragmas take effect while they are prepared, so they must be denied here.
            let isOfModule = second == nil && Self.modulePragmas.contains(name)
            return isOfModule || state.withLock(\.isInternalStatement)
        default: break
        }
        return true
    }

    private func record(_ name: UnsafePointer<CChar>?, isPlainInsert: Bool = false) {
        guard let name else { return }
        let text = String(cString: name)
        let isUserTable = !text.lowercased().hasPrefix("sqlite_")
        change { effects in
            if isUserTable { effects.tables.insert(SQLIdentifier(text)) }
            if !isPlainInsert { effects.doesMoreThanInsert = true }
            if Self.schemaTables.contains(text) { effects.changesSchema = true }
        }
    }

    /// The schema tables, and the table-valued functions of pragmas, depend on all tables.
    private func recordRead(_ name: UnsafePointer<CChar>?) {
        guard let name else { return }
        let text = String(cString: name)
        let lowercased = text.lowercased()
        let isSchema = lowercased.hasPrefix("sqlite_") || lowercased.hasPrefix("pragma_")
        change { effects in
            if isSchema { effects.tablesRead = nil } else { effects.tablesRead?.insert(SQLIdentifier(text)) }
        }
    }

    /// SQLite's schema tables.
    private static let schemaTables: Set<String> = ["sqlite_master", "sqlite_schema"]

    private func forbid(_ feature: String) { change { $0.forbidden = feature } }

    /// Pragmas that virtual tables read while they connect; their values differ between connections.
    private static let modulePragmas: Set<String> = ["data_version"]

    /// Functions whose values differ between connections.
    private static let writeCounterFunctions: Set<String> = ["changes", "last_insert_rowid", "total_changes"]

    // Pragmas that only read. Others would change one of several connections, or break guarantees of the store.
    private static let readOnlyPragmas: Set<String> = [
        "application_id", "collation_list", "compile_options", "database_list", "encoding", "foreign_key_check",
        "freelist_count", "function_list", "integrity_check", "journal_mode", "page_count", "page_size",
        "quick_check", "schema_version", "table_list", "user_version",
    ]
    private static let readOnlyPragmasWithArgument: Set<String> = [
        "application_id", "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo",
        "integrity_check", "quick_check", "table_info", "table_list", "table_xinfo", "user_version",
    ]
}
