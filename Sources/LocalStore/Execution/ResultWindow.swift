import StoreCore

/// LIMIT and OFFSET of a SELECT.
struct ResultWindow {
    /// `Int.max` without LIMIT.
    let limit: Int
    let offset: Int

    init(_ select: MemorySelect, _ evaluator: SQLEvaluator) throws(StoreError) {
        let limit = try Self.count(select.limit, evaluator) ?? -1
        self.limit = limit < 0 ? .max : Int(limit)
        offset = Int(max(try Self.count(select.offset, evaluator) ?? 0, 0))
    }

    /// Number of leading rows that suffice.
    var end: Int {
        let (sum, isOverflow) = limit.addingReportingOverflow(offset)
        return isOverflow ? .max : sum
    }

    func rows<Rows: Collection>(of rows: Rows) -> Rows.SubSequence
    where Rows.SubSequence == Rows.SubSequence.SubSequence {
        rows.dropFirst(offset).prefix(limit)
    }

    private static func count(
        _ expression: BoundExpression?, _ evaluator: SQLEvaluator
    ) throws(StoreError) -> Int64? {
        guard let expression else { return nil }
        let value = ColumnAffinity.integer.stored(try evaluator.value(expression, in: NoRows(), at: 0))
        guard case .integer(let count) = value else {
            throw StoreError(.failed, "datatype mismatch: LIMIT and OFFSET take integers")
        }
        return count
    }
}
