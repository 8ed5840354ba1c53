extension JSONScanner {
    /// Cells of a row. A list or an object is its JSON text; nil is a missing column.
    package typealias Cells = UnsafeMutableBufferPointer<Scalar?>

    /// Reads a row into cells: an object with one member a column, or a list in column order.
    /// - Parameter cells: one for each column, or more. Their texts are valid until the next ``commit()``.
    package mutating func row(_ layout: inout JSONRowLayout, into cells: Cells) throws(Stop) {
        for column in 0..<layout.columns.count { cells[column] = nil }
        switch layout.shape {
        case .objects: try object(&layout, into: cells)
        case .lists: try list(count: layout.columns.count, into: cells)
        }
    }

    private mutating func object(_ layout: inout JSONRowLayout, into cells: Cells) throws(Stop) {
        try expect("{", .row)
        if take("}") { return }
        var previous: Int?
        while true {
            guard byte == UInt8(ascii: "\"") else { throw stop(.name) }
            let start = offset
            let column = try layout.columns.read(from: &self, after: previous)
            skipWhitespace()
            try expect(":", .colon)
            if let column {
                guard cells[column] == nil else { throw Stop(offset: start, expected: .newColumn) }
                cells[column] = try cell()
                previous = column
            } else {
                guard layout.ignoresUnknownColumns else { throw Stop(offset: start, expected: .knownColumn) }
                try skipValue()
            }
            skipWhitespace()
            if take("}") { return }
            try expect(",", .commaOrBrace)
        }
    }

    /// Reads a list of exactly `count` cells.
    package mutating func list(count: Int, into cells: Cells) throws(Stop) {
        try expect("[", .row)
        for column in 0..<count {
            if column > 0 { try expect(",", byte == UInt8(ascii: "]") ? .moreCells : .commaOrBracket) }
            cells[column] = try cell()
            skipWhitespace()
        }
        guard take("]") else { throw stop(byte == UInt8(ascii: ",") ? .endOfCells : .commaOrBracket) }
    }

    @inline(__always)
    private mutating func cell() throws(Stop) -> Scalar {
        isAtContainer ? .text(try skipValue()) : try scalar()
    }
}
