import StoreCore

/// Generated rows for stores.
struct StoredRows {
    enum Kind { case integer, real, text }
    struct Column {
        let name: String
        let kind: Kind
        let factor: Int64
    }

    let count: Int
    let columns: [Column]
    /// The column types.
    let kinds: [Kind]
    /// Bytes that are never freed: arrays would be retained per cell within the measurement.
    private let texts: [UnsafeRawBufferPointer]

    /// - Parameter width: the number of columns: a key, then text, integer and real in turn.
    init(count: Int, width: Int) {
        self.count = count
        let kinds: [Kind] = [.text, .integer, .real]
        columns = (0..<width).map { index in
            Column(
                name: index == 0 ? "id" : "c\(index)", kind: index == 0 ? .integer : kinds[(index - 1) % 3],
                factor: index == 0 ? 1 : 37)
        }
        self.kinds = columns.map(\.kind)
        texts = (0..<1000).map { number in
            let text = "a label of some length \(number)".utf8
            let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
            _ = bytes.initialize(from: text)
            return UnsafeRawBufferPointer(bytes)
        }
    }

    /// The text of a row.
    func text(_ row: Int) -> UnsafeRawBufferPointer { texts[row % texts.count] }

    func schema() throws -> TableSchema {
        try TableSchema(
            "jack",
            columns: columns.map { column in
                let type =
                    switch column.kind {
                    case .integer: "INTEGER"
                    case .real: "REAL"
                    case .text: "TEXT"
                    }
                return .init(SQLIdentifier(column.name), type)
            }, primaryKey: ["id"])
    }

    /// The statement of a store for its batches.
    var upsert: String {
        let names = columns.map(\.name)
        return """
            INSERT INTO jack (\(names.joined(separator: ", "))) VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
            ON CONFLICT (id) DO UPDATE SET \(names.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """
    }

    /// Returns all rows in batches.
    func batches(of size: Int) throws -> [RowBatch] {
        var batches: [RowBatch] = []
        try self.batches(of: size) { batches.append($0) }
        return batches
    }

    /// Passes all rows in one reused batch.
    func batches(of size: Int, _ body: (RowBatch) throws -> Void) throws {
        var batch = try RowBatch(columns: columns.map { SQLIdentifier($0.name) })
        for first in stride(from: 0, to: count, by: size) {
            batch.removeAll()
            for row in first..<min(first + size, count) {
                batch.beginRow()
                for (index, column) in columns.enumerated() {
                    switch column.kind {
                    case .integer: try batch.set(integer: Int64(row) &* column.factor, at: index)
                    case .real: try batch.set(real: Double(row) * 0.5, at: index)
                    case .text: try batch.set(utf8: text(row), at: index)
                    }
                }
            }
            try body(batch)
        }
    }
}
