import StoreCore

/// The table `patchbay_outbox_state`: the format of the tables, and the lease of the sender.
struct StateTable: Sendable {
    static let name = SQLIdentifier(SQLIdentifier.reservedPrefix + "outbox_state")
    /// The version of the tables that this code writes.
    static let format: Int64 = 3

    let store: any LocalStore

    /// Creates all tables of an outbox, or changes those of an earlier version.
    /// - Throws: ``OutboxError`` (`newerFormat`); `StoreError`.
    func open() throws {
        // Only reads in the usual case, so that opening does not wait for a writer.
        if try storedFormat() == Self.format { return }
        try store.transaction {
            let entries = EntryTable(store: store)
            switch try storedFormat() {
            case nil:
                try store.execute(
                    "CREATE TABLE \(Self.name) (name TEXT PRIMARY KEY, owner TEXT, beat INTEGER NOT NULL, renewed INTEGER)"
                )
                try store.execute("INSERT INTO \(Self.name) VALUES ('format', NULL, \(Self.format), NULL)")
                try store.execute("INSERT INTO \(Self.name) VALUES ('lease', NULL, 0, 0)")
                try entries.create()
                try ResponseTable(store: store).create()
            case Self.format: break
            default:
                try entries.updateFromEarlierFormat()
                try store.execute("UPDATE \(Self.name) SET beat = \(Self.format) WHERE name = 'format'")
            }
        }
    }

    /// The version of the tables; nil for a store without an outbox.
    private func storedFormat() throws -> Int64? {
        guard try store.schema(of: Self.name) != nil else { return nil }
        var format: Int64?
        try store.query("SELECT beat FROM \(Self.name.quoted) WHERE name = 'format'", []) { row in
            format = row.int64(at: 0)
            return false
        }
        guard let format, format <= Self.format else {
            throw OutboxError(
                .newerFormat, "The outbox of the store was written by a newer version of the app; update the app.")
        }
        return format
    }

    /// The lease.
    func lease() throws -> SendLease {
        var lease = SendLease()
        try store.query("SELECT owner, beat, renewed FROM \(Self.name.quoted) WHERE name = 'lease'", []) { row in
            lease = SendLease(owner: row.text(at: 0), beat: row.int64(at: 1) ?? 0, renewed: row.int64(at: 2) ?? 0)
            return false
        }
        return lease
    }

    /// Stores the lease.
    func put(_ lease: SendLease) throws {
        try store.execute(
            "UPDATE \(Self.name.quoted) SET owner = ?, beat = ?, renewed = ? WHERE name = 'lease'",
            [lease.owner.map { .text($0) } ?? .null, .integer(lease.beat), .integer(lease.renewed)])
    }
}
