import StoreCore
import SystemLibraries

/// Effects of a statement, collected by SQLite's authorizer while it prepares the statement.
struct StatementEffects: Sendable {
    /// The tables that it writes or changes.
    var tables: Set<SQLIdentifier> = []
    /// The tables that it reads, also through views; nil when it reads the schema.
    var tablesRead: Set<SQLIdentifier>? = []
    /// It creates, alters or drops a table.
    var definesTables = false
    /// It renames a table; the authorizer does not report the new name.
    var renamesTables = false
    /// It changes the schema: tables, indexes, views or triggers.
    var changesSchema = false
    /// It does more than insert literal rows: it contains a query, updates, deletes, or fires a trigger.
    var doesMoreThanInsert = false
    /// It begins or ends a transaction.
    var controlsTransaction = false
    /// It reads counters of its connection's last write, such as `changes()`.
    var readsWriteCounters = false
    /// The unsupported feature that it uses, in SQL terms; nil when there is none.
    var forbidden: String?

    /// True when it may fail after some of its writes.
    ///
    /// SQLite does not always undo those: `OR FAIL` keeps them, and inside a transaction so may other conflict clauses.
    /// A single inserted row is checked before it is written; several rows are a query to SQLite.
    var mayApplyPartially: Bool { !tables.isEmpty && (doesMoreThanInsert || tables.count > 1) }

    /// True when the effects may include statements that a virtual table prepared on its first use.
    ///
    /// `rtree` prepares the statements that write its tables, `fts5` a pragma.
    var mayIncludeModuleSetup: Bool { forbidden != nil || tables.count > 1 }

    /// Error for callers that run the statement; nil when they may.
    var refusal: StoreError? {
        if controlsTransaction {
            return StoreError(.misuse, "Transaction statement not allowed; use transaction(_:) instead.")
        }
        return forbidden.map {
            StoreError(
                .unsupportedSQL, "Unsupported SQL: a store does not allow this \($0) statement.", feature: $0)
        }
    }
}
