import LocalStore

extension JSONScanner {
    /// Reads a row into ``cells``: an object with one member a column, or a list in column order.
    package mutating func row(_ layout: inout RowLayout) throws(Stop) {
        for column in 0..<layout.names.count { cells[column] = .missing }
        switch layout.shape {
        case .objects: try object(&layout)
        case .lists: try list(count: layout.names.count)
        }
    }

    private mutating func object(_ layout: inout RowLayout) throws(Stop) {
        try expect("{", .row)
        if take("}") { return }
        var previous: Int?
        while true {
            guard byte == UInt8(ascii: "\"") else { throw stop(.name) }
            let start = stop(.knownColumn)
            let column = try layout.names.read(from: &self, after: previous)
            skipWhitespace()
            try expect(":", .colon)
            if let column {
                guard case .missing = cells[column] else { throw Stop(offset: start.offset, expected: .newColumn) }
                cells[column] = try cell()
                previous = column
            } else {
                guard layout.ignoresUnknownColumns else { throw start }
                try skipValue(depth: 0)
            }
            skipWhitespace()
            if take("}") { return }
            try expect(",", .commaOrBrace)
        }
    }

    /// Reads a list of exactly `count` cells.
    package mutating func list(count: Int) throws(Stop) {
        try expect("[", .row)
        for column in 0..<count {
            if column > 0 { try expect(",", byte == UInt8(ascii: "]") ? .moreCells : .commaOrBracket) }
            cells[column] = try cell()
            skipWhitespace()
        }
        guard take("]") else { throw stop(.endOfCells) }
    }
}

/// Format of the rows of a stream.
package struct RowLayout: Sendable {
    var names: ColumnNames
    var shape: RowStreamParser.Shape
    var ignoresUnknownColumns: Bool

    package init(names: ColumnNames, shape: RowStreamParser.Shape, ignoresUnknownColumns: Bool) {
        self.names = names
        self.shape = shape
        self.ignoresUnknownColumns = ignoresUnknownColumns
    }
}
