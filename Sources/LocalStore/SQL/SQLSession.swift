/// What the last changes of a store leave for `last_insert_rowid()` and `changes()` (sqlite.org/lang_corefunc.html).
struct SQLSession: Hashable, Sendable {
    enum Function: Hashable, Sendable { case lastInsertRowid, changes }

    /// The rowid of the last inserted row, also of a statement that failed later or was rolled back; 0 before any.
    var lastInsertRowid: Int64 = 0
    /// The number of rows that the last INSERT, UPDATE or DELETE changed; 0 after one that failed.
    var changes: Int64 = 0

    func result(of function: Function) -> Int64 {
        switch function {
        case .lastInsertRowid: lastInsertRowid
        case .changes: changes
        }
    }
}

extension SQLSession.Function {
    /// - Parameter name: the name of an SQL function, in lower case.
    init?(name: String) {
        switch name {
        case "last_insert_rowid": self = .lastInsertRowid
        case "changes": self = .changes
        default: return nil
        }
    }
}
