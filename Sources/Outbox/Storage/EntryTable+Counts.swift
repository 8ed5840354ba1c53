import StoreCore

extension EntryTable {
    /// The number of entries of users in each phase.
    static func counts(of users: [String], in reader: borrowing StoreReader) throws -> [EntryRow.Phase: Int] {
        var counts: [EntryRow.Phase: Int] = [:]
        for user in users {
            let sql = "SELECT phase, count(*) \(from) WHERE userName = ? AND \(isAdmitted) GROUP BY phase"
            try reader.query(sql, [.text(user)]) { row in
                let phase = row.int64(at: 0).flatMap(EntryRow.Phase.init) ?? .failed
                counts[phase, default: 0] += Int(row.int64(at: 1) ?? 0)
                return true
            }
        }
        try eachAdded(in: reader) { user, _ in if users.contains(user) { counts[.added, default: 0] += 1 } }
        return counts
    }

    /// The number of entries of users behind a failed or damaged one of their key.
    static func countBehindFailed(of users: [String], in reader: borrowing StoreReader) throws -> Int {
        var count = 0
        var failedKeys: [String: Set<String>] = [:]
        for user in users {
            var keys: Set<String> = []
            let sql = "SELECT entryKey \(from) WHERE userName = ? AND \(isAdmitted) AND phase NOT IN (0, 1, 2, 4)"
            try reader.query(sql, [.text(user)]) { row in
                if let key = row.text(at: 0) { keys.insert(key) }
                return true
            }
            failedKeys[user] = keys
            var rest = Array(keys)[...]
            while !rest.isEmpty {
                // Far below the number of parameters that a statement may have.
                let some = rest.prefix(500)
                rest = rest.dropFirst(500)
                let list = some.map { _ in "?" }.joined(separator: ", ")
                try reader.query(
                    "SELECT count(*) \(from) WHERE userName = ? AND entryKey IN (\(list)) AND phase = ? AND \(isAdmitted)",
                    [.text(user)] + some.map { .text($0) } + [.integer(EntryRow.Phase.blocked.rawValue)]
                ) { row in
                    count += Int(row.int64(at: 0) ?? 0)
                    return false
                }
            }
        }
        try eachAdded(in: reader) { user, key in
            if let key, failedKeys[user]?.contains(key) == true { count += 1 }
        }
        return count
    }

    /// Passes the user and the key of each new entry, from the last one on: no index has them.
    private static func eachAdded(
        in reader: borrowing StoreReader, _ body: (_ user: String, _ key: String?) -> Void
    ) throws {
        try reader.query("SELECT phase, userName, entryKey \(from) ORDER BY number DESC", []) { row in
            guard row.int64(at: 0) == EntryRow.Phase.added.rawValue else { return false }
            body(row.text(at: 1) ?? "", row.text(at: 2))
            return true
        }
    }
}
