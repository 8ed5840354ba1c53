// The calls with one record are disfavored: an array is `Encodable` too, and must mean its elements.
extension LocalStore {
    /// Inserts a record as a row.
    ///
    /// ```swift
    /// struct Note: Codable { var id: UUID; var title: String; var link: URL? }
    /// try store.insert(note, into: "note")
    /// ```
    ///
    /// Its keys are the columns' names; see ``StoreCoding``. Other columns of the table get their default value. Nil is
    /// null; in an `INTEGER PRIMARY KEY` column it makes the store choose the key. A superclass is encoded into the
    /// same row, and so is `superEncoder()`.
    /// - Parameter coding: the representation of dates, UUIDs and names; default
    ///   ``StoreCoding/init(dates:uuids:keys:)``.
    /// - Returns: the rowid, which is also the value of an `INTEGER PRIMARY KEY` column; 0 for a table WITHOUT ROWID.
    /// - Throws: ``StoreError``: what ``insert(_:into:)`` throws; `invalidArgument` for a record that cannot be a row.
    ///   Errors of the record's own `encode(to:)`.
    @discardableResult @_disfavoredOverload
    public func insert<Record: Encodable>(
        _ record: Record, into table: SQLIdentifier, coding: StoreCoding = StoreCoding()
    ) throws -> Int64 {
        try insertRow(checked(encoded(record, coding), for: table), into: table)
    }

    /// Inserts records as rows. All or none.
    /// - Returns: the number of records.
    /// - Throws: as for one record.
    @discardableResult
    public func insert<Record: Encodable>(
        _ records: some Sequence<Record>, into table: SQLIdentifier, coding: StoreCoding = StoreCoding()
    ) throws -> Int {
        try write(records, to: table, coding) { batch in try insert(batch, into: table) }
    }

    /// Inserts a record as a row, or updates its columns in the row with its primary key.
    /// - Throws: ``StoreError``: what ``upsert(_:into:)`` throws; `invalidArgument` for a record that cannot be a row.
    ///   Errors of the record's own `encode(to:)`.
    @_disfavoredOverload
    public func upsert<Record: Encodable>(
        _ record: Record, into table: SQLIdentifier, coding: StoreCoding = StoreCoding()
    ) throws {
        try upsert(checked(encoded(record, coding), for: table), into: table)
    }

    /// Inserts or updates records as rows. All or none.
    ///
    /// Of records with the same key the last one wins.
    /// - Returns: the number of records.
    /// - Throws: as for one record.
    @discardableResult
    public func upsert<Record: Encodable>(
        _ records: some Sequence<Record>, into table: SQLIdentifier, coding: StoreCoding = StoreCoding()
    ) throws -> Int {
        try write(records, to: table, coding) { batch in try upsert(batch, into: table) }
    }

    /// Updates the record's columns of the row with its primary key.
    /// - Returns: false when there is no such row.
    /// - Throws: ``StoreError``: `noSuchTable`; `noSuchColumn`; `constraint`; `invalidArgument` when the table has no
    ///   primary key, or the record lacks a column of it or cannot be a row. Errors of the record's own `encode(to:)`.
    @discardableResult
    public func update<Record: Encodable>(
        _ record: Record, in table: SQLIdentifier, coding: StoreCoding = StoreCoding()
    ) throws -> Bool {
        let row = try checked(encoded(record, coding), for: table)
        let key = try key(of: table, in: row)
        let values = row.columns.indices.filter { !key.contains($0) }
        // Without further columns, the row is found and not changed.
        let changed = values.isEmpty ? key : values
        func terms(_ columns: [Int], _ separator: String) -> String {
            columns.map { "\(row.columns[$0].quoted) = ?" }.joined(separator: separator)
        }
        let sql = "UPDATE \(table.quoted) SET \(terms(changed, ", ")) WHERE \(terms(key, " AND "))"
        return try execute(sql, (changed + key).map { row.value(row: 0, column: $0) }) > 0
    }

    /// Deletes the row with the record's primary key.
    /// - Returns: false when there is no such row.
    /// - Throws: as ``update(_:in:coding:)``.
    @discardableResult
    public func delete<Record: Encodable>(
        _ record: Record, from table: SQLIdentifier, coding: StoreCoding = StoreCoding()
    ) throws -> Bool {
        let row = try encoded(record, coding).batch
        let key = try key(of: table, in: row)
        var keys = try RowBatch(columns: key.map { row.columns[$0] })
        try keys.append(key.map { row.value(row: 0, column: $0) })
        return try delete(keys, from: table) > 0
    }

    // MARK: Rows of records

    /// An encoder with the row of one record.
    private func encoded<Record: Encodable>(_ record: Record, _ coding: StoreCoding) throws -> RowEncoder {
        let encoder = RowEncoder(Record.self, coding)
        _ = try encoder.append(record)
        return encoder
    }

    /// The batch of an encoder, for writing it to a table.
    private func checked(_ encoder: RowEncoder, for table: SQLIdentifier) throws(StoreError) -> RowBatch {
        try encoder.checkDecimals { () throws(StoreError) in try schema(of: table) }
        return encoder.batch
    }

    /// The columns of a row that are the table's primary key.
    private func key(of table: SQLIdentifier, in row: RowBatch) throws(StoreError) -> [Int] {
        guard let schema = try schema(of: table) else {
            throw StoreError(.noSuchTable, "no such table: \(table)")
        }
        let key = schema.primaryKey.compactMap { row.columns.firstIndex(of: $0) }
        guard !key.isEmpty, key.count == schema.primaryKey.count else {
            throw StoreError(
                .invalidArgument,
                "Table \(table) has no primary key, or the record lacks a column of it; add it, or use SQL.")
        }
        return key
    }

    /// Passes the rows of records to `send` in batches of about one MiB, in one transaction.
    private func write<Record: Encodable>(
        _ records: some Sequence<Record>, to table: SQLIdentifier, _ coding: StoreCoding,
        _ send: (RowBatch) throws -> Int
    ) throws -> Int {
        let encoder = RowEncoder(Record.self, coding)
        return try transaction {
            var count = 0
            for record in records {
                if try !encoder.append(record) {
                    // It has other keys, so it begins a batch with other columns.
                    count += try send(checked(encoder, for: table))
                    encoder.removeColumns()
                    _ = try encoder.append(record)
                }
                if encoder.batch.byteCount >= 1 << 20 {
                    count += try send(checked(encoder, for: table))
                    encoder.removeRows()
                }
            }
            if !encoder.batch.isEmpty { count += try send(checked(encoder, for: table)) }
            return count
        }
    }
}
