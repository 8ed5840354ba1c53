extension LocalStore {
    /// Inserts one row in a transaction, and then queries `last_insert_rowid()`.
    @discardableResult
    public func insertRow(_ row: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int64 {
        try row.checkSingleRow()
        return try rethrowingStoreErrors {
            try transaction {
                try insert(row, into: table)
                // A column of that name is not the rowid.
                let schema = try schema(of: table)
                guard let name = schema.map({ $0.rowidName }) ?? "rowid" else { return 0 }
                do {
                    // No row of a table WITHOUT ROWID has a rowid, and the function keeps its value there.
                    let sql = "SELECT max(\(name)) FROM \(table.quoted) WHERE \(name) = last_insert_rowid()"
                    guard case .integer(let rowid)? = try rows(sql, []).first?.first else { return 0 }
                    return rowid
                } catch let error as StoreError where error.code == .noSuchColumn {
                    return 0
                }
            }
        }
    }
}

extension RowBatch {
    /// - Throws: `StoreError` (`invalidArgument`) unless there is exactly one row.
    package func checkSingleRow() throws(StoreError) {
        guard rowCount == 1 else {
            throw StoreError(.invalidArgument, "Row batch has \(rowCount) rows; pass exactly one.")
        }
    }
}
