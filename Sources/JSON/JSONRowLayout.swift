/// Format of the rows of a stream.
package struct JSONRowLayout: Sendable {
    /// Format of a row.
    package enum Shape: Sendable {
        /// An object with one member a column.
        case objects
        /// A list of all cells, in column order.
        case lists
    }

    var columns: ColumnNames
    let shape: Shape
    let ignoresUnknownColumns: Bool

    /// Creates a layout.
    /// - Parameter columns: the unique names of the columns, in the order of the cells.
    package init(columns: [String], shape: Shape, ignoresUnknownColumns: Bool) {
        self.columns = ColumnNames(columns)
        self.shape = shape
        self.ignoresUnknownColumns = ignoresUnknownColumns
    }

    package var columnCount: Int { columns.count }
}
