extension LocalStore {
    /// Runs one statement and decodes its rows.
    ///
    /// ```swift
    /// struct Note: Codable { var id: UUID; var title: String; var created: Date; var tags: [String]; var link: URL? }
    /// let notes = try store.rows(as: Note.self, "SELECT * FROM note WHERE title LIKE \(pattern)")
    /// ```
    ///
    /// A property is read from the column with its name, ignoring the case of ASCII letters; of several such columns,
    /// from the first one. Further columns are ignored. An optional property is nil when the column is missing or null.
    /// The representation of each type is that of ``StoreCoding``:
    ///
    /// - an integer type: an INTEGER in its range; `Bool`: 0 or 1; `Double` and `Float`: an INTEGER or a REAL
    /// - `String`: a TEXT; `Data`: a BLOB; `URL`: a TEXT
    /// - `Date`: a TEXT in one of SQLite's formats with a date, or a number of seconds since 1970 (milliseconds if the
    ///   coding says so)
    /// - `UUID`: a TEXT of 36 characters or a BLOB of 16 bytes; `Decimal`: a TEXT or a number
    /// - an enum with raw values, or another type of a single value: as that value
    /// - an array, a dictionary, a type with properties: JSON in a TEXT or a BLOB
    ///
    /// A superclass is decoded from the same row, and so is `superDecoder()`. A type that is itself one of these values
    /// is read from the first column. An optional type is nil if the first column is null, also if others are not.
    /// - Parameters:
    ///   - sql: one statement; interpolated values are its parameters.
    ///   - coding: the representation of dates and UUIDs, and the names of columns.
    /// - Throws: ``StoreError``: `undecodable`, with the row and the column, when a row does not fit the type; what
    ///   ``query(_:_:each:)`` throws. An error that the type's own `init(from:)` throws is rethrown, unless it is a
    ///   `DecodingError`.
    public func rows<Record: Decodable>(
        as type: Record.Type, _ sql: SQL, coding: StoreCoding = StoreCoding()
    ) throws -> [Record] {
        try RecordReader.records(coding) { try query(sql.text, sql.parameters, each: $0) }
    }

    /// Runs one statement, decodes its first row and reads no further; nil when there is no row.
    /// - Throws: what ``rows(as:_:coding:)`` throws.
    public func first<Record: Decodable>(
        as type: Record.Type, _ sql: SQL, coding: StoreCoding = StoreCoding()
    ) throws -> Record? {
        try RecordReader.firstRecord(coding) { try query(sql.text, sql.parameters, each: $0) }
    }

    /// Runs one statement and returns the first column of its first row; nil when there is no row, or it is null.
    ///
    /// ```swift
    /// let count = try store.value(of: Int.self, "SELECT count(*) FROM note") ?? 0
    /// ```
    /// - Throws: what ``rows(as:_:coding:)`` throws.
    public func value<Value: Decodable>(
        of type: Value.Type, _ sql: SQL, coding: StoreCoding = StoreCoding()
    ) throws -> Value? {
        try RecordReader.firstValue(coding) { try query(sql.text, sql.parameters, each: $0) }
    }

    /// Runs one statement and returns the first column of its rows.
    ///
    /// A null needs an optional type: `values(of: String?.self, ...)`.
    /// - Throws: what ``rows(as:_:coding:)`` throws.
    public func values<Value: Decodable>(
        of type: Value.Type, _ sql: SQL, coding: StoreCoding = StoreCoding()
    ) throws -> [Value] {
        try RecordReader.values(coding) { try query(sql.text, sql.parameters, each: $0) }
    }
}
