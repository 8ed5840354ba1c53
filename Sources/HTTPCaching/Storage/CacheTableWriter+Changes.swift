import StoreCore

extension CacheTableWriter {
    /// Replaces the head of a response.
    /// - Returns: the new version; nil if the response was removed or replaced.
    mutating func replace(_ version: Int64, key: String, variant: String, with new: StoredResponse) throws -> Int64? {
        let number = next()
        let count = try store.execute(
            "UPDATE \(CacheTables.entry) SET version = ?, used = ?, head = ? WHERE key = ? AND variant = ? AND version = ?",
            [
                .integer(number), .integer(number), .blob(StoredHeadCoding.encode(new)), .text(key), .text(variant),
                .integer(version),
            ])
        return count == 1 ? number : nil
    }

    /// Notes that responses were used.
    mutating func touch(_ rows: some Sequence<(key: String, variant: String)>) throws {
        let number = next()
        for row in rows {
            // It may be a row with lists alone by now.
            try store.execute(
                "UPDATE \(CacheTables.entry) SET used = ? WHERE key = ? AND variant = ? AND size > 0",
                [.integer(number), .text(row.key), .text(row.variant)])
        }
    }

    /// Moves a response to another variant, with its file.
    /// - Returns: false if it was removed or replaced, or is refused there; then it is removed.
    mutating func move(_ version: Int64, key: String, variant: String, to row: Row) throws -> Bool {
        let files = deletedFiles
        guard try remove(version, key: key, variant: variant) else { return false }
        let moved = deletedFiles.dropFirst(files.count)
        deletedFiles = files
        let isKept = try insert(row)
        if !isKept { deletedFiles += moved }
        return isKept
    }

    /// - Parameter ticket: that of a response which is stored afterwards.
    /// - Returns: the number of the removal; whether nothing of it was removed since the ticket.
    mutating func removeAll(keys: Set<String>, since ticket: Int64) throws -> (number: Int64, isFirst: Bool) {
        let isFirst = try keys.allSatisfy { try permits($0, since: ticket) }
        let number = next()
        removed = number
        for key in keys {
            try delete("key = ?", [.text(key)])
            try store.execute("DELETE FROM \(CacheTables.removal) WHERE key = ?", [.text(key)])
            try store.execute(
                "INSERT INTO \(CacheTables.removal) (key, number) VALUES (?, ?)", [.text(key), .integer(number)])
        }
        var count: Int64 = 0
        try store.query("SELECT COUNT(*) FROM \(CacheTables.removal)", []) { row in
            count = row.int64(at: 0) ?? 0
            return false
        }
        if count > Int64(RemovalLog.capacity) { try forgetOlderRemovals() }
        return (removed, isFirst)
    }

    /// - Returns: the number of the removal.
    mutating func removeAll(partition: String?) throws -> Int64 {
        if let partition {
            try delete("partition = ? AND partition <> ''", [.text(partition)])
        } else {
            try store.query("SELECT name FROM \(CacheTables.file)", []) { row in
                if let name = row.text(at: 0) { deletedFiles.append(name) }
                return true
            }
            try store.execute("DELETE FROM \(CacheTables.file)", [])
            try store.execute("DELETE FROM \(CacheTables.entry)", [])
            usage = CacheUsage()
        }
        removed = next()
        try raiseFloor(to: removed)
        return removed
    }

    /// Forgets the older half of the removals by URL: nothing that was requested before one of them is stored any more.
    ///
    /// What was requested after them is, also by other processes that have it in flight.
    private func forgetOlderRemovals() throws {
        var floor: Int64?
        try store.query(
            "SELECT number FROM \(CacheTables.removal) ORDER BY number DESC LIMIT 1 OFFSET ?",
            [.integer(Int64(RemovalLog.capacity / 2))]
        ) { row in
            floor = row.int64(at: 0)
            return false
        }
        if let floor { try raiseFloor(to: floor) }
    }

    /// Makes a number that of the last removal of everything, and forgets the removals by URL up to it.
    private func raiseFloor(to number: Int64) throws {
        try store.execute("DELETE FROM \(CacheTables.removal) WHERE number <= ?", [.integer(number)])
        try store.execute(
            "INSERT INTO \(CacheTables.removal) (key, number) VALUES ('', ?)", [.integer(number)])
    }
}
