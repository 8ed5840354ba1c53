import StoreCore

/// Journal record: one change of a transaction.
enum JournalRecord {
    /// A table with its `CREATE TABLE` text: created, renamed, or with a column added or renamed.
    case table(id: UInt32, catalogRowid: Int64, text: String)
    case drop(id: UInt32)
    /// Inserts or replaces a row.
    case row(table: UInt32, rowid: Int64, values: [SQLValue])
    case delete(table: UInt32, rowid: Int64)
    /// The new value of `PRAGMA user_version`.
    case userVersion(Int32)

    private enum Tag: UInt8 { case table = 1, drop, row, delete, userVersion }

    // MARK: Reading

    /// Reads the next record; nil when it is invalid.
    init?(_ reader: inout JournalDecoder) {
        guard let tag = reader.byte().flatMap(Tag.init), let id: UInt32 = reader.number() else { return nil }
        switch tag {
        case .drop: self = .drop(id: id)
        case .userVersion: self = .userVersion(Int32(bitPattern: id))
        case .table:
            guard let rowid: Int64 = reader.number(), let text = reader.bytes() else { return nil }
            self = .table(id: id, catalogRowid: rowid, text: String(decoding: text, as: UTF8.self))
        case .delete:
            guard let rowid: Int64 = reader.number() else { return nil }
            self = .delete(table: id, rowid: rowid)
        case .row:
            guard let rowid: Int64 = reader.number(), let count: UInt16 = reader.number() else { return nil }
            var values: [SQLValue] = []
            for _ in 0..<count {
                guard let value = reader.value() else { return nil }
                values.append(value)
            }
            self = .row(table: id, rowid: rowid, values: values)
        }
    }

    // MARK: Writing

    static func append(table: borrowing MemoryTable, to bytes: inout [UInt8]) {
        bytes.append(Tag.table.rawValue)
        append(table.id, to: &bytes)
        append(table.catalogRowid, to: &bytes)
        let text = table.definition.text.utf8
        append(UInt32(text.count), to: &bytes)
        bytes += text
    }

    static func append(drop id: UInt32, to bytes: inout [UInt8]) {
        bytes.append(Tag.drop.rawValue)
        append(id, to: &bytes)
    }

    static func append(userVersion: Int32, to bytes: inout [UInt8]) {
        bytes.append(Tag.userVersion.rawValue)
        append(UInt32(bitPattern: userVersion), to: &bytes)
    }

    static func append(delete rowid: Int64, from id: UInt32, to bytes: inout [UInt8]) {
        bytes.append(Tag.delete.rawValue)
        append(id, to: &bytes)
        append(rowid, to: &bytes)
    }

    static func append(row: Int, of table: borrowing MemoryTable, to bytes: inout [UInt8]) {
        bytes.append(Tag.row.rawValue)
        append(table.id, to: &bytes)
        append(table.rowid(row: row), to: &bytes)
        append(UInt16(truncatingIfNeeded: table.columns.count), to: &bytes)
        for column in table.columns.indices {
            // The rowid was written above.
            if column == table.definition.rowidColumn {
                bytes.append(StoreValue.Kind.null.rawValue)
                continue
            }
            let cell = table.columns[column].cell(at: row)
            bytes.append(cell.kind.rawValue)
            switch cell.kind {
            case .null: break
            case .integer, .real: append(cell.bits, to: &bytes)
            case .text, .blob:
                append(UInt32(cell.count), to: &bytes)
                bytes += table.columns[column].arena[cell.offset..<cell.offset + cell.count]
            }
        }
    }

    static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
