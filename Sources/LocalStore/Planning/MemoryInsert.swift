/// A planned INSERT.
struct MemoryInsert: Sendable {
    enum Source: Sendable {
        case rows([[BoundExpression]])
        case select(MemorySelect)
        case defaults
    }

    /// A uniqueness constraint to check before a row is inserted, and the resolution of a conflict.
    struct Check: Sendable {
        enum Resolution: Sendable {
            case conflict(SQLConflict)
            /// DO UPDATE of the clause with this index in ``MemoryInsert/updates``.
            case update(Int)
        }

        /// Index of the key in ``MemoryTable/keys``; nil for the rowid.
        let key: Int?
        let resolution: Resolution
    }

    /// A planned DO UPDATE. Its expressions are evaluated on ``SQLRowValues``.
    struct ConflictUpdate: Sendable {
        let assignments: [MemoryUpdate.Assignment]
        let condition: BoundExpression?
    }

    let table: Int
    /// For each value of a row, the column; nil for the rowid of a table that has no column for it.
    let columns: [Int?]
    let source: Source
    /// Resolution of conflicts with NOT NULL.
    let conflict: SQLConflict
    /// In the order in which SQLite checks.
    let checks: [Check]
    let updates: [ConflictUpdate]
    let returning: MemoryReturning?
}

extension MemoryInsert.Check {
    /// The checks of an INSERT without ON CONFLICT, in SQLite's order: the rowid, then the keys from the last one.
    static func all(keyCount: Int, _ conflict: SQLConflict) -> [MemoryInsert.Check] {
        let keys: [Int?] = [nil] + (0..<keyCount).reversed()
        return keys.map { MemoryInsert.Check(key: $0, resolution: .conflict(conflict)) }
    }
}
