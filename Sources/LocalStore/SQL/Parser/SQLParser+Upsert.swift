import StoreCore

extension SQLParser {
    /// Parses the ON CONFLICT clauses of an INSERT. Only the last one may lack a conflict target.
    mutating func upserts() throws(StoreError) -> [SQLUpsert] {
        var upserts: [SQLUpsert] = []
        while isAt("ON") {
            if let last = upserts.last, last.target == nil { throw unexpected("the end of the statement") }
            upserts.append(try upsert())
        }
        return upserts
    }

    private mutating func upsert() throws(StoreError) -> SQLUpsert {
        let start = offset
        try expect("ON")
        try expect("CONFLICT")
        let target = isAt(.leftParenthesis) ? try conflictTarget() : nil
        try expect("DO")
        if take("NOTHING") { return SQLUpsert(target: target, action: .nothing, offset: start) }
        try expect("UPDATE")
        try expect("SET")
        let assignments = try assignments()
        let condition = take("WHERE") ? try expression() : nil
        return SQLUpsert(target: target, action: .update(assignments, condition: condition), offset: start)
    }

    private mutating func conflictTarget() throws(StoreError) -> [SQLName] {
        try expect(.leftParenthesis)
        var columns: [SQLName] = []
        repeat {
            let start = offset
            guard case .column(let column) = try expression() else { throw .unmatchedConflictTarget(at: start) }
            if !take("ASC") { _ = take("DESC") }
            columns.append(column)
        } while take(.comma)
        try expect(.rightParenthesis)
        if isAt("WHERE") { throw .unsupportedSQL("WHERE in a conflict target", at: offset) }
        return columns
    }
}

extension StoreError {
    static func unmatchedConflictTarget(at offset: Int) -> StoreError {
        .syntax("ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint", at: offset)
    }
}
