import Foundation
import HTTPMessages
import StoreCore

extension EntryTable {
    private static let newRow: RowBatch? = try? RowBatch(columns: [
        "idempotencyKey", "userName", "entryKey", "name", "phase", "created", "expires", "attempts", "doubt", "method",
        "url", "origin", "fields", "priority", "file", "fileStart", "fileEnd", "isOwned", "body",
    ])

    /// Adds a new entry, with one statement.
    /// - Returns: its number.
    func add(_ row: EntryRow) throws -> Int64 {
        guard var cells = Self.newRow else { throw StoreError(.failed, "The columns of a new row are not unique.") }
        let request = row.request
        cells.reserveCapacity(rows: 1, textBytes: 512)
        cells.beginRow()
        try cells.set(text: row.idempotencyKey, at: 0)
        try cells.set(text: row.user, at: 1)
        if let key = row.key { try cells.set(text: key, at: 2) }
        try cells.set(text: row.name, at: 3)
        try cells.set(integer: EntryRow.Phase.added.rawValue, at: 4)
        try cells.set(integer: row.created, at: 5)
        if let expires = row.expires { try cells.set(integer: expires, at: 6) }
        try cells.set(integer: 0, at: 7)
        try cells.set(integer: 0, at: 8)
        try cells.set(text: request.method, at: 9)
        try cells.set(text: request.url, at: 10)
        try cells.set(text: request.origin, at: 11)
        try cells.set(text: request.fields, at: 12)
        try cells.set(integer: Int64(request.priority), at: 13)
        switch request.body {
        case .none: break
        case .bytes(let data): try data.withUnsafeBytes { bytes in try cells.set(blob: bytes, at: 18) }
        case .file(let path, let range, let isOwned):
            try cells.set(text: path, at: 14)
            try cells.set(integer: range.lowerBound, at: 15)
            try cells.set(integer: range.upperBound, at: 16)
            try cells.set(integer: isOwned ? 1 : 0, at: 17)
        }
        return try store.insertRow(cells, into: Self.name)
    }

    /// Looks at the keys of new entries, in the order of the entries: one behind another of its key is blocked, the
    /// others are ready.
    /// - Parameter limit: the most entries.
    /// - Returns: true if there are more.
    @discardableResult
    func admit(limit: Int = .max) throws -> Bool {
        guard let first = try firstAdded() else { return false }
        var seen: Set<UserKey> = []
        var new: [(number: Int64, key: UserKey?)] = []
        let sql = "SELECT number, userName, entryKey \(Self.from) WHERE number >= ? ORDER BY number LIMIT ?"
        try store.query(sql, [.integer(first), .integer(Int64(limit))]) { row in
            let key = row.text(at: 2).map { UserKey(user: row.text(at: 1) ?? "", key: $0) }
            new.append((row.int64(at: 0) ?? 0, key))
            return true
        }
        guard let last = new.last?.number else { return false }
        for (number, key) in new {
            guard let key, try !seen.insert(key).inserted || contains(key.key, user: key.user, before: number) else {
                continue
            }
            try store.execute(
                "UPDATE \(Self.name.quoted) SET phase = ? WHERE number = ?",
                [.integer(EntryRow.Phase.blocked.rawValue), .integer(number)])
        }
        try store.execute(
            "UPDATE \(Self.name.quoted) SET phase = ? WHERE number BETWEEN ? AND ? AND phase = ?",
            [
                .integer(EntryRow.Phase.ready.rawValue), .integer(first), .integer(last),
                .integer(EntryRow.Phase.added.rawValue),
            ])
        return new.count == limit
    }

    private struct UserKey: Hashable {
        let user: String
        let key: String
    }

    /// A number that is larger than those of all admitted entries, and not larger than those of new ones; nil without
    /// new ones.
    ///
    /// Bisection: the new entries are the last ones of the table.
    private func firstAdded() throws -> Int64? {
        guard let last = try end("ORDER BY number DESC", []), last.isAdded else { return nil }
        var range = 1...max(1, last.number)
        while range.lowerBound < range.upperBound {
            let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
            let isAdded = try end("WHERE number >= ? ORDER BY number", [.integer(middle)])?.isAdded ?? true
            range = isAdded ? range.lowerBound...middle : middle + 1...range.upperBound
        }
        return range.lowerBound
    }

    private func end(_ condition: String, _ parameters: [StoreValue]) throws -> (number: Int64, isAdded: Bool)? {
        var end: (Int64, Bool)?
        try store.query("SELECT number, phase \(Self.from) \(condition) LIMIT 1", parameters) { row in
            end = (row.int64(at: 0) ?? 0, row.int64(at: 1) == EntryRow.Phase.added.rawValue)
            return false
        }
        return end
    }
}
