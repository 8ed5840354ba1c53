import StoreCore

extension CacheTableWriter {
    /// The most removals by URL that are kept.
    private static let maximumRemovals: Int64 = 1_000

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
            // Also the row with the lists of names, without which a variant is not found.
            let base = row.variant.utf8.firstIndex(of: UInt8(ascii: "\n")).map { String(row.variant[..<$0]) }
            for variant in [row.variant, base] {
                guard let variant else { continue }
                try store.execute(
                    "UPDATE \(CacheTables.entry) SET used = ? WHERE key = ? AND variant = ?",
                    [.integer(number), .text(row.key), .text(variant)])
            }
        }
    }

    /// Removes a response, unless it was replaced.
    mutating func remove(_ version: Int64, key: String, variant: String) throws {
        try delete("key = ? AND variant = ? AND version = ?", [.text(key), .text(variant), .integer(version)])
    }

    /// Moves a response to another variant, with its file.
    /// - Returns: false if it was removed or replaced, or is refused there; then it is removed.
    mutating func move(_ version: Int64, key: String, variant: String, to row: Row) throws -> Bool {
        let (count, files) = (usage.entries, deletedFiles)
        try remove(version, key: key, variant: variant)
        guard usage.entries < count else { return false }
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
        if count > Self.maximumRemovals { try raiseFloor() }
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
        try raiseFloor()
        return removed
    }

    /// Forgets removals by URL: nothing that was requested before is stored any more.
    private mutating func raiseFloor() throws {
        let number = next()
        removed = number
        try store.execute("DELETE FROM \(CacheTables.removal)", [])
        try store.execute("INSERT INTO \(CacheTables.removal) (key, number) VALUES ('', ?)", [.integer(number)])
    }
}
