/// A single row as a source of expressions.
///
/// For ON CONFLICT DO UPDATE it also has the values of `excluded`, the row that could not be inserted: `values` are the
/// columns of the existing row, those of the other one, and its rowid.
struct SQLRowValues: SQLSource {
    let values: [SQLValue]
    let rowid: Int64

    func value(row: Int, column: Int) -> SQLValue { values[column] }
    func rowidValue(row: Int) -> SQLValue { .integer(rowid) }
}
