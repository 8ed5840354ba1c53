/// Reads the rows of one result set as values of one type.
///
/// ```swift
/// let reader = RecordReader<Note>(coding)
/// try store.query(sql) { row in
///     notes.append(try reader.record(row))
///     return true
/// }
/// ```
struct RecordReader<Record: Decodable>: ~Copyable {
    private let decoder: RowDecoder

    /// - Parameter numbersRows: false for a row that is read alone; its errors then have no number.
    init(_ coding: StoreCoding, numbersRows: Bool = true) { decoder = RowDecoder(coding, numbersRows: numbersRows) }

    deinit { decoder.close() }

    /// Decodes the next row.
    /// - Throws: ``StoreError`` `undecodable`; another error of the type's `init(from:)`.
    func record(_ row: borrowing StoreRow) throws -> Record {
        decoder.beginRow(row)
        defer { decoder.endRow() }
        do { return try decoder.wholeValue(Record.self) } catch {
            throw decoder.rowFailure(error, Record.self)
        }
    }

    /// Decodes a cell of the next row.
    /// - Throws: what ``record(_:)`` throws.
    func value(_ row: borrowing StoreRow, at column: Int) throws -> Record {
        decoder.beginRow(row)
        defer { decoder.endRow() }
        do {
            return try decoder.value(Record.self, decoder.checkedCell(at: column, for: Record.self), at: column)
        } catch {
            throw decoder.rowFailure(error, Record.self)
        }
    }
}

extension RecordReader {
    /// Passes each row of a result set to a callback, until that returns false.
    typealias Query = (_ each: (borrowing StoreRow) throws -> Bool) throws -> Void

    /// All rows of a query.
    static func records(_ coding: StoreCoding, of query: Query) throws -> [Record] {
        let reader = RecordReader(coding)
        var records: [Record] = []
        try query { row in
            records.append(try reader.record(row))
            return true
        }
        return records
    }

    /// The first row of a query; nil when there is none.
    static func firstRecord(_ coding: StoreCoding, of query: Query) throws -> Record? {
        let reader = RecordReader(coding)
        var record: Record?
        try query { row in
            record = try reader.record(row)
            return false
        }
        return record
    }

    /// The first column of all rows of a query.
    static func values(_ coding: StoreCoding, of query: Query) throws -> [Record] {
        let reader = RecordReader(coding)
        var values: [Record] = []
        try query { row in
            values.append(try reader.value(row, at: 0))
            return true
        }
        return values
    }

    /// The first column of the first row of a query; nil when there is no row, or it is null.
    static func firstValue(_ coding: StoreCoding, of query: Query) throws -> Record? {
        let reader = RecordReader(coding)
        var value: Record?
        try query { row in
            if !row.isNull(at: 0) { value = try reader.value(row, at: 0) }
            return false
        }
        return value
    }
}
