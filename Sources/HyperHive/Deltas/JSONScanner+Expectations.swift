import JSON

/// Expectations for responses with tables, besides those for JSON and rows.
extension JSONScanner.Expectation {
    static var tableList: Self { Self("the [ of the list of tables") }
    static var tableOrEnd: Self { Self("a table object or ]") }
    static var tableObject: Self { Self("the { of a table object") }
    static var fewerTables: Self { Self("at most 65536 table objects") }
    static var memberOrEnd: Self { Self("a member name or }") }
    static var onceOnly: Self { Self("each of the members name, data, insert_rows and delete_ids at most once") }
    static var fullRows: Self { Self("data, since Content-Version names no delta") }
    static var deltaRows: Self { Self("insert_rows and delete_ids, since Content-Version names a delta") }
    static var itemOrEnd: Self { Self("an item or ]") }
    static var identifier: Self { Self("the identifier of a row, not a list or an object") }
    static var tableName: Self { Self("the member name, since the object has rows") }
}
