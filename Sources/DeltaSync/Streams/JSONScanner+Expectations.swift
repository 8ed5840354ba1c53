package import JSON

/// What is expected in streams of rows and deltas, beside JSON and rows.
extension JSONScanner.Expectation {
    package static var rowOrEnd: Self { Self("a row or ]") }
    package static var nothing: Self { Self("the end of the stream") }
    package static var header: Self { Self("the header object of a delta") }
    package static var count: Self { Self("a row count") }
    package static var countsOfRows: Self { Self("the row counts `upserts` and `deletes`") }
    package static var closingBracket: Self { Self("the ] of the list") }
    package static var element: Self { Self("an object with an operation") }
    package static var operation: Self { Self("one of table, upsert, delete and end") }
    package static var tableFirst: Self { Self("a `table` element before the first operation") }
    package static var knownTable: Self { Self("the name of one of the target's tables") }
    package static var sameKey: Self { Self("the primary key of the target's table") }
    package static var comma: Self { Self("a comma, since the `end` element is missing") }
    package static var closingBrace: Self { Self("a }") }
    package static var member: Self { Self("a known member, at most once") }
    package static var key: Self { Self("a value for each column of the primary key") }
    package static var keyOfOneRow: Self {
        Self("in `delete` the list of one row's key values, one for each column of the primary key")
    }

    /// True if this is the name of a column, a table or an operation, which errors show.
    var isOfName: Bool { [.knownColumn, .newColumn, .knownTable, .operation].contains(self) }
}
