package import JSON
package import StoreCore

/// The cells of the row that was scanned last. They are valid until the next row, and never stored.
package struct ScannedCells {
    package let buffer: JSONScanner.Cells

    /// Requires memory for the cells of the widest row.
    init(_ buffer: JSONScanner.Cells) {
        buffer.initialize(repeating: nil)
        self.buffer = buffer
    }

    /// True when a cell is present and not null.
    package func hasValue(at column: Int) -> Bool {
        switch buffer[column] {
        case nil, .null: false
        case .bool, .integer, .real, .text: true
        }
    }

    /// Passes the first cells to a sink as a row.
    package func appendRow(_ count: Int, to sink: inout some RowSink) throws(StoreError) {
        sink.beginRow()
        for column in 0..<count {
            switch buffer[column] {
            case nil, .null: break
            case .bool(let value): try sink.set(integer: value ? 1 : 0, at: column)
            case .integer(let value): try sink.set(integer: value, at: column)
            case .real(let value): try sink.set(real: value, at: column)
            case .text(let bytes): try sink.set(utf8: UnsafeRawBufferPointer(bytes), at: column)
            }
        }
    }
}
