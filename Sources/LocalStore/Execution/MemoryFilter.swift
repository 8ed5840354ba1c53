import StoreCore

/// A vectorized filter: applies its predicates to blocks of 1024 rows.
///
/// A selection vector holds the rows of the block that passed so far; each predicate shrinks it. Comparisons of a
/// column with a constant run over the cells themselves (see ``MemoryKernel``), and skip the check of storage classes
/// where the block's mask shows a single class.
struct MemoryFilter {
    enum Predicate {
        case integer(column: Int, SQLComparison, Int64)
        case real(column: Int, SQLComparison, Double)
        case text(column: Int, SQLComparison, [UInt8])
        case rowid(SQLComparison, Int64)
        case isNull(column: Int, isNegated: Bool)
        case integers(column: Int, Set<Int64>)
        case rowids(Set<Int64>)
        case search(column: Int, SQLPattern.Search, isNegated: Bool)
        case like(column: Int, pattern: [UInt8], escape: [UInt8], isNegated: Bool)
        case expression(BoundExpression)
        /// A constant condition that is false or NULL.
        case never

        /// True for an expression, and for a search in texts.
        var isSlow: Bool {
            switch self {
            case .search, .like, .expression: true
            default: false
            }
        }

        /// True if the evaluation for a row may throw.
        var canFail: Bool { if case .expression = self { true } else { false } }
    }

    private let predicates: [Predicate]
    /// Index of the first predicate that takes long for a block of rows; their number if there is none.
    private let firstSlow: Int
    /// Least number of rows that slow predicates are applied to at once. A search in texts cannot fail, so a few rows
    /// too many only cost time.
    private let leastPiece: Int
    private let evaluator: SQLEvaluator

    init(
        _ terms: [BoundExpression], _ evaluator: SQLEvaluator, for definition: MemoryTableDefinition
    ) throws(StoreError) {
        var predicates: [Predicate] = []
        for term in terms { predicates += try Self.predicates(term, evaluator, definition) }
        self.predicates = predicates
        self.evaluator = evaluator
        firstSlow = predicates.firstIndex(where: \.isSlow) ?? predicates.count
        leastPiece = predicates.contains(where: \.canFail) ? 1 : 32
    }

    /// The rows that satisfy all predicates, in rowid order.
    /// - Parameter limit: maximum number of rows.
    func rows(of table: borrowing MemoryTable, limit: Int) throws(StoreError) -> [Int32] {
        if predicates.isEmpty, limit >= table.rowCount { return try table.orderedRows(evaluator.interruption) }
        if predicates.contains(where: { if case .never = $0 { true } else { false } }) { return [] }
        var selected: [Int32] = []
        var block = [Int32](repeating: 0, count: MemoryColumn.blockSize)
        var first = firstRow(of: table)
        while first < table.physicalRowCount, selected.count < limit || !table.isOrdered {
            let end = min(first + MemoryColumn.blockSize, table.physicalRowCount)
            var count = Self.liveRows(of: table, first, end, &block)
            let limit = table.isOrdered ? limit - selected.count : .max
            count = try filter(&block, count, table, limit: limit)
            selected.append(contentsOf: block.prefix(count))
            first = end
            if first < table.physicalRowCount { try evaluator.interruption.checkAfterBlock() }
        }
        if !table.isOrdered { try table.sortByRowid(&selected, evaluator.interruption) }
        if selected.count > limit { selected.removeLast(selected.count - limit) }
        return selected
    }

    /// The first row that conditions such as `rowid > ?` leave, or one before it that begins a block.
    private func firstRow(of table: borrowing MemoryTable) -> Int {
        guard table.isOrdered else { return 0 }
        var first = 0
        for case .rowid(let comparison, let constant) in predicates {
            guard comparison == .greater || comparison == .greaterOrEqual else { continue }
            first = max(first, table.firstRow(from: constant))
        }
        return first & ~(MemoryColumn.blockSize - 1)
    }

    /// Moves the rows of a block that satisfy all predicates to its front, in order.
    ///
    /// Kernels run over the whole block, since they are fast and never fail. From the first slow predicate on, the rows
    /// are taken in pieces of as many rows as are still needed, all of which must be examined in any case.
    /// - Parameter limit: number of rows that suffice.
    /// - Returns: number of rows that pass.
    private func filter(
        _ block: inout [Int32], _ count: Int, _ table: borrowing MemoryTable, limit: Int
    ) throws(StoreError) -> Int {
        var count = count
        for predicate in predicates[..<firstSlow] where count > 0 {
            count = try apply(predicate, table, &block, count)
        }
        guard limit < count, firstSlow < predicates.count else {
            for predicate in predicates[firstSlow...] where count > 0 {
                count = try apply(predicate, table, &block, count)
            }
            return count
        }
        var kept = 0
        var first = 0
        while first < count, kept < limit {
            let size = min(max(limit - kept, leastPiece), count - first)
            var piece = Array(block[first..<first + size])
            var passed = size
            for predicate in predicates[firstSlow...] where passed > 0 {
                passed = try apply(predicate, table, &piece, passed, offset: first)
            }
            block.replaceSubrange(kept..<kept + passed, with: piece.prefix(passed))
            kept += passed
            first += size
        }
        return kept
    }

    /// True if a row satisfies all predicates.
    func accepts(_ row: Int, of table: borrowing MemoryTable) throws(StoreError) -> Bool {
        guard !predicates.isEmpty else { return true }
        var block = [Int32(truncatingIfNeeded: row)]
        for predicate in predicates where try apply(predicate, table, &block, 1) == 0 { return false }
        return true
    }

    private static func liveRows(
        of table: borrowing MemoryTable, _ first: Int, _ end: Int, _ block: inout [Int32]
    ) -> Int {
        if table.tombstoneCount == 0 {
            for row in first..<end { block[row - first] = Int32(truncatingIfNeeded: row) }
            return end - first
        }
        var count = 0
        for row in first..<end where table.isLive(row) {
            block[count] = Int32(truncatingIfNeeded: row)
            count += 1
        }
        return count
    }

    /// - Parameter offset: index of the first row among the selected rows of its block of 1024; default 0.
    private func apply(
        _ predicate: Predicate, _ table: borrowing MemoryTable, _ block: inout [Int32], _ count: Int, offset: Int = 0
    ) throws(StoreError) -> Int {
        switch predicate {
        case .never: return 0
        case .integer(let column, let comparison, let constant):
            return MemoryKernel.compare(table.columns[column], comparison, constant, &block, count)
        case .real(let column, let comparison, let constant):
            return MemoryKernel.compare(table.columns[column], comparison, constant, &block, count)
        case .text(let column, let comparison, let constant):
            return MemoryKernel.compare(table.columns[column], comparison, constant, &block, count)
        case .rowid(let comparison, let constant):
            return MemoryKernel.compare(table.rowids, comparison, constant, &block, count)
        case .isNull(let column, let isNegated):
            let kinds = table.columns[column].kinds
            return MemoryKernel.keep(&block, count) {
                (kinds[$0] == StoreValue.Kind.null.rawValue) != isNegated
            }
        case .integers(let column, let constants):
            return MemoryKernel.contains(table.columns[column], constants, &block, count)
        case .rowids(let constants): return MemoryKernel.contains(table.rowids, constants, &block, count)
        case .search(let column, let search, let isNegated):
            return try applyInPieces(of: table.columns[column], &block, count, offset) { column, block, count in
                MemoryKernel.like(column, search, isNegated, &block, count)
            }
        case .like(let column, let pattern, let escape, let isNegated):
            return try applyInPieces(of: table.columns[column], &block, count, offset) { column, block, count in
                MemoryKernel.like(column, pattern, escape, isNegated, &block, count)
            }
        case .expression(let expression):
            var kept = 0
            for index in 0..<count {
                let row = block[index]
                if try evaluator.holds(expression, in: table, at: Int(row)) {
                    block[kept] = row
                    kept += 1
                }
                try check(after: row, offset + index)
            }
            return kept
        }
    }

    /// Applies the kernel of a search in texts: to pieces of the block if the texts are long.
    private func applyInPieces(
        of column: MemoryColumn, _ block: inout [Int32], _ count: Int, _ offset: Int,
        _ kernel: (MemoryColumn, inout [Int32], Int) -> Int
    ) throws(StoreError) -> Int {
        guard column.arena.count / max(column.count, 1) > Self.longText else { return kernel(column, &block, count) }
        var kept = 0
        for first in stride(from: 0, to: count, by: 32) {
            let last = min(first + 32, count) - 1
            let end = block[last]
            var piece = Array(block[first...last])
            let passed = kernel(column, &piece, piece.count)
            block.replaceSubrange(kept..<kept + passed, with: piece.prefix(passed))
            kept += passed
            try check(after: end, offset + last)
        }
        return kept
    }

    /// Average length of a column's texts, in bytes, beyond which a block of them takes too long.
    private static let longText = 1024

    /// - Parameters:
    ///   - row: a row of the block.
    ///   - index: its index among the rows of the block that were selected.
    @inline(__always)
    private func check(after row: Int32, _ index: Int) throws(StoreError) {
        try evaluator.interruption.check(afterExpensiveRow: Int(row) & ~(MemoryColumn.blockSize - 1) | index)
    }
}
