import Foundation
import JSON

/// Encodes records into the rows of a batch, one object for many records.
///
/// The columns are the keys of the first record, in its order. The next record most likely has the same keys in the
/// same order, so each key is compared with the expected one first, and found without a dictionary.
final class RowEncoder {
    /// The rows encoded so far.
    private(set) var batch = RowBatch()
    let coding: StoreCoding
    /// The record's type, for errors.
    private let type: Any.Type
    /// The key of each column.
    private var keys: [String] = []
    /// Index of the column that the next key is expected to have.
    private var expected = 0
    /// For each column, the number of the last record that had its key.
    private var lastRecords: [Int] = []
    private var recordNumber = 0
    /// Number of different keys that the current record has.
    private var keyCount = 0
    /// True when the current record has a key without a column.
    private var hasUnknownKey = false
    /// The reason for refusing the current record, found where an encoder cannot throw.
    var refusal: StoreError?
    /// True when the current value has keys or elements; set by its ``CellEncoder``.
    var isNested = false
    /// The cells with decimal numbers that a column of a numeric type may round.
    private(set) var longDecimals: [(row: Int, column: Int)] = []
    /// Made when the first nested value is encoded.
    private lazy var jsonCoding = coding.makeJSONCoding()

    init(_ type: Any.Type, _ coding: StoreCoding) {
        self.type = type
        self.coding = coding
    }

    /// Appends a record as a row.
    /// - Returns: false when its keys differ from those of the batch, which is unchanged then; call ``removeColumns()``
    ///   before appending the record again.
    func append(_ record: some Encodable) throws -> Bool {
        begin()
        do {
            try record.encode(to: RecordEncoder(row: self))
            if let refusal { throw refusal }
            if keys.isEmpty { throw refused("it has no keys, so there is no column to write") }
        } catch {
            removeLastRow()
            throw describe(error, at: nil)
        }
        let hasSameKeys = !hasUnknownKey && keyCount == keys.count
        if !hasSameKeys { removeLastRow() }
        return hasSameKeys
    }

    private func removeLastRow() {
        batch.removeLastRow()
        longDecimals.removeAll { $0.row >= batch.rowCount }
    }

    /// Checks that the table's columns keep the decimal numbers of the rows, which are text.
    ///
    /// A column of a numeric type converts such a text, and SQLite guarantees 15 digits then.
    /// - Parameter schema: returns the table's schema; called only when there are long decimal numbers.
    func checkDecimals(_ schema: () throws(StoreError) -> TableSchema?) throws(StoreError) {
        guard !longDecimals.isEmpty, let schema = try schema() else { return }
        for (row, column) in longDecimals {
            guard let index = schema.index(of: batch.columns[column]),
                case .text(let text) = batch.value(row: row, column: column),
                !DecimalText.isPreserved(text, in: schema.columns[index].affinity)
            else { continue }
            throw refused(
                "a column of type \(schema.columns[index].declaredType) keeps 15 digits of a decimal number; "
                    + "declare it as TEXT", at: column)
        }
    }

    private func begin() {
        batch.beginRow()
        recordNumber += 1
        expected = 0
        keyCount = 0
        hasUnknownKey = false
        refusal = nil
    }

    /// Removes the rows and keeps the columns.
    func removeRows() {
        batch.removeAll()
        longDecimals.removeAll()
    }

    /// Removes the rows and the columns.
    func removeColumns() {
        batch = RowBatch()
        keys = []
        lastRecords = []
        longDecimals.removeAll()
    }

    // MARK: Columns

    /// The column of a key; nil when the batch has no such column and can get none.
    @inline(__always)
    func column(_ key: String) throws -> Int? {
        if expected < keys.count, keys[expected] == key {
            expected += 1
            note(expected - 1)
            return expected - 1
        }
        return try searchedColumn(key)
    }

    private func searchedColumn(_ key: String) throws -> Int? {
        if let column = keys.firstIndex(of: key) {
            expected = column + 1
            note(column)
            return column
        }
        guard batch.rowCount == 1, keyCount == keys.count else {
            hasUnknownKey = true
            return nil
        }
        try batch.appendColumn(SQLIdentifier(coding.keys.columnName(of: key)))
        keys.append(key)
        lastRecords.append(0)
        expected = keys.count
        note(keys.count - 1)
        return keys.count - 1
    }

    private func note(_ column: Int) {
        if lastRecords[column] != recordNumber {
            lastRecords[column] = recordNumber
            keyCount += 1
        }
    }

    // MARK: Cells

    func setNull(at column: Int) throws { try batch.setNull(at: column) }
    func set(_ value: Int64, at column: Int) throws { try batch.set(integer: value, at: column) }

    /// Sets a cell to an integer that may be too large.
    func set(exactly value: some BinaryInteger, at column: Int) throws {
        guard let value = Int64(exactly: value) else {
            throw refused("the integer does not fit into an Int64; store it as text", at: column)
        }
        try set(value, at: column)
    }

    func set(_ value: Double, at column: Int) throws {
        // SQLite stores NULL for NaN, which is not read as a number.
        guard !value.isNaN else { throw refused("the number is NaN; use nil", at: column) }
        try batch.set(real: value, at: column)
    }

    func set(_ value: String, at column: Int) throws { try batch.set(text: value, at: column) }

    /// Sets a cell to any other value.
    func set<Value: Encodable>(_ value: Value, at column: Int) throws {
        // A comparison of types is cheap and a cast is not, so only a matching type is cast.
        if Value.self == Date.self, let date = value as? Date { return try set(date, at: column) }
        if Value.self == UUID.self, let uuid = value as? UUID { return try set(uuid, at: column) }
        if Value.self == Data.self, let data = value as? Data { return try batch.set(.blob(data), at: column) }
        if Value.self == URL.self, let url = value as? URL { return try set(url.absoluteString, at: column) }
        if Value.self == Decimal.self, let decimal = value as? Decimal {
            guard !decimal.isNaN else { throw refused("the decimal number is NaN; use nil", at: column) }
            return try set(decimal, at: column)
        }
        if try isSingleValue(value, at: column) { return }
        do {
            let json = try jsonCoding.encode(value)
            try json.withUnsafeBytes { try batch.set(utf8: $0, at: column) }
        } catch {
            throw describe(error, at: column)
        }
    }

    /// Sets a cell to a value that encodes itself as a single value.
    /// - Returns: false for a value with keys or elements; the cell is not set then.
    private func isSingleValue(_ value: some Encodable, at column: Int) throws -> Bool {
        let isOuterNested = isNested
        isNested = false
        defer { isNested = isOuterNested }
        do {
            try value.encode(to: CellEncoder(row: self, column: column))
        } catch is CellEncoder.NestedValue {
        } catch {
            throw describe(error, at: column)
        }
        return !isNested
    }

    private func set(_ date: Date, at column: Int) throws {
        let isWritten: Bool
        if coding.dates == .text {
            // Without a string in between.
            isWritten = try withUnsafeTemporaryAllocation(byteCount: SQLiteDate.maximumLength, alignment: 1) {
                guard let count = SQLiteDate.write(date, to: $0) else { return false }
                try batch.set(utf8: UnsafeRawBufferPointer(rebasing: $0[..<count]), at: column)
                return true
            }
        } else {
            let value = coding.dates.value(of: date)
            if let value { try batch.set(value, at: column) }
            isWritten = value != nil
        }
        guard isWritten else { throw refused("the date is out of range", at: column) }
    }

    private func set(_ decimal: Decimal, at column: Int) throws {
        let text = decimal.description
        if !DecimalText.isPreserved(text, in: .real) { longDecimals.append((row: batch.rowCount - 1, column: column)) }
        try set(text, at: column)
    }

    private func set(_ uuid: UUID, at column: Int) throws {
        switch coding.uuids {
        case .text: try set(uuid.uuidString, at: column)
        case .lowercaseText: try set(uuid.uuidString.lowercased(), at: column)
        case .blob: try withUnsafeBytes(of: uuid.uuid) { try batch.set(blob: $0, at: column) }
        }
    }

    // MARK: Errors

    /// An error that names the record's type and the column.
    func refused(_ reason: String, at column: Int? = nil) -> StoreError {
        let name = column.map { "column \(batch.columns[$0])" } ?? "a record"
        return StoreError(.invalidArgument, "Cannot encode \(name) of type \(type): \(reason).")
    }

    /// Replaces an `EncodingError`, which contains the value; other errors are the record's own.
    private func describe(_ error: any Error, at column: Int?) -> any Error {
        guard case .invalidValue(let value, let context) = error as? EncodingError else { return error }
        // Without the keys of dictionaries, which are values.
        let path = context.codingPath.compactMap(\.propertyName)
        let place = path.isEmpty ? "" : " at \(path.joined(separator: "."))"
        return refused("its value of type \(Swift.type(of: value))\(place) is invalid", at: column)
    }
}
