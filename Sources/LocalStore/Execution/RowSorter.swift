import StoreCore

/// Sorts rows by the terms of ORDER BY; the sort is stable.
///
/// Each value is condensed into a normalized key: a rank and an 8-byte prefix that compare like the value. Most
/// comparisons stop there; only equal, inexact prefixes compare the values.
struct RowSorter {
    /// The normalized key of a value.
    private struct Key {
        /// Order of the storage class, and of NULL.
        let rank: UInt8
        /// True if equal keys imply equal values.
        let isExact: Bool
        let bits: UInt64
    }

    private let terms: [MemorySelect.OrderingTerm]
    private let evaluator: SQLEvaluator

    init(_ terms: [MemorySelect.OrderingTerm], _ evaluator: SQLEvaluator) {
        // Rowids are unique, so terms after the rowid have no effect.
        var isDecided = false
        self.terms = terms.filter { term in
            defer { if case .rowid = term.expression { isDecided = true } }
            return !isDecided
        }
        self.evaluator = evaluator
    }

    /// - Parameter count: number of leading rows to return.
    func sorted(
        _ rows: [Int32], of table: borrowing MemoryTable, limit count: Int
    ) throws(StoreError) -> [Int32] {
        // A single row needs no sort, but as in SQLite its terms are evaluated, and may fail.
        guard !rows.isEmpty, count > 0 else { return rows }
        return try positions(of: rows, in: table, limit: count).map { rows[Int($0)] }
    }

    /// The positions of the rows in sorted order.
    /// - Parameter count: number of leading positions to return.
    func positions(
        of rows: [Int32], in table: borrowing MemoryTable, limit count: Int
    ) throws(StoreError) -> ArraySlice<Int32> {
        var columns: [MemoryColumn?] = []
        var sortings: [Sorting] = []
        for term in terms {
            switch term.expression {
            case .column(let column): columns.append(table.columns[column])
            case .rowid: columns.append(nil)
            default:
                // Computed terms are evaluated once per row, into a temporary column.
                var column = MemoryColumn()
                for (index, row) in rows.enumerated() {
                    try column.append(try evaluator.value(term.expression, in: table, at: Int(row)))
                    try evaluator.interruption.check(afterExpensiveRow: index)
                }
                columns.append(column)
            }
            sortings.append(Sorting(term))
        }
        return try ColumnSnapshot(columns, rowids: table.rowids).withCells { columns throws(StoreError) in
            try Self.positions(rows, columns, sortings, limit: count, evaluator.interruption)
        }
    }

    /// The positions of rows in sorted order, by computed terms.
    /// - Parameters:
    ///   - columns: the values of each term, one per row.
    ///   - count: number of leading positions to return.
    static func positions(
        sortedBy columns: [MemoryColumn], _ sortings: [Sorting], limit count: Int,
        _ interruption: StatementInterruption
    ) throws(StoreError) -> ArraySlice<Int32> {
        let rows = (0..<Int32(truncatingIfNeeded: columns.first?.count ?? 0)).map { $0 }
        return try ColumnSnapshot(columns, rowids: []).withCells { columns throws(StoreError) in
            try positions(rows, columns, sortings, limit: count, interruption)
        }
    }

    /// Options of one term. Unlike the term, it has no reference-counted members, so the comparator retains nothing.
    struct Sorting {
        let isComputed: Bool
        let isDescending: Bool
        let isNullsFirst: Bool

        init(_ term: MemorySelect.OrderingTerm) {
            switch term.expression {
            case .column, .rowid: isComputed = false
            default: isComputed = true
            }
            isDescending = term.isDescending
            isNullsFirst = term.isNullsFirst
        }

        /// A computed term.
        init(isDescending: Bool, isNullsFirst: Bool) {
            isComputed = true
            self.isDescending = isDescending
            self.isNullsFirst = isNullsFirst
        }
    }

    private static func positions(
        _ rows: [Int32], _ columns: UnsafeBufferPointer<ColumnCells>, _ sortings: [Sorting],
        limit count: Int, _ interruption: StatementInterruption
    ) throws(StoreError) -> ArraySlice<Int32> {
        func cell(_ position: Int, _ term: Int) -> StoreCell {
            columns[term].cell(at: sortings[term].isComputed ? position : Int(rows[position]))
        }
        var keys: [Key] = []
        keys.reserveCapacity(rows.count * sortings.count)
        for position in rows.indices {
            for term in sortings.indices { keys.append(key(cell(position, term), sortings[term])) }
            try interruption.check(afterRow: position)
        }
        var comparisons = 0
        func isBefore(_ one: Int32, _ other: Int32) throws(StoreError) -> Bool {
            comparisons &+= 1
            try interruption.check(afterComparison: comparisons)
            let (one, other) = (Int(one), Int(other))
            for term in sortings.indices {
                let (left, right) = (keys[one * sortings.count + term], keys[other * sortings.count + term])
                if left.rank != right.rank { return left.rank < right.rank }
                if left.bits != right.bits { return left.bits < right.bits }
                if left.isExact, right.isExact { continue }
                let difference = StoreCell.order(cell(one, term), cell(other, term))
                if difference != 0 { return sortings[term].isDescending ? difference > 0 : difference < 0 }
            }
            return one < other
        }
        return try rethrowingStoreErrors { try positions(rows.count, limit: count, isBefore) }
    }

    /// The first positions in sorted order. For a small count, a bounded buffer: candidates worse than the current last
    /// are skipped, and a full buffer is sorted and cut.
    private static func positions(
        _ total: Int, limit count: Int, _ isBefore: (Int32, Int32) throws -> Bool
    ) rethrows -> ArraySlice<Int32> {
        guard count < total / 4 else {
            return try (0..<Int32(truncatingIfNeeded: total)).sorted(by: isBefore).prefix(count)
        }
        var candidates: [Int32] = []
        var lastCandidate: Int32?
        for position in 0..<Int32(truncatingIfNeeded: total) {
            if let lastCandidate, try !isBefore(position, lastCandidate) { continue }
            candidates.append(position)
            if candidates.count == count * 2 + 64 {
                try candidates.sort(by: isBefore)
                candidates.removeLast(candidates.count - count)
                lastCandidate = candidates.last
            }
        }
        return try candidates.sorted(by: isBefore).prefix(count)
    }

    // MARK: Keys

    private static func key(_ cell: StoreCell, _ sorting: Sorting) -> Key {
        var (rank, isExact, bits): (UInt8, Bool, UInt64)
        switch cell.kind {
        case .null: return Key(rank: sorting.isNullsFirst ? 0 : 9, isExact: true, bits: 0)
        case .integer:
            let number = Int64(bitPattern: cell.bits)
            (rank, isExact, bits) = (1, number.magnitude <= 1 << 53, Self.bits(Double(number)))
        case .real:
            let number = Double(bitPattern: cell.bits)
            (rank, isExact, bits) = (1, number.magnitude <= 9_007_199_254_740_992, Self.bits(number))
        case .text: (rank, isExact, bits) = (2, cell.bytes.count < 8, Self.bits(cell.bytes))
        case .blob: (rank, isExact, bits) = (3, cell.bytes.count < 8, Self.bits(cell.bytes))
        }
        if sorting.isDescending { (rank, bits) = (8 - rank, ~bits) }
        return Key(rank: rank, isExact: isExact, bits: bits)
    }

    /// Maps a double to an unsigned integer of the same order: negative numbers are inverted, others get the sign bit.
    private static func bits(_ number: Double) -> UInt64 {
        // Adding 0 makes -0 and 0 equal.
        let bits = (number + 0).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    /// The first seven bytes, big-endian, then the byte count, at most 8. With fewer than eight bytes it is exact.
    private static func bits(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var bits: UInt64 = 0
        for byte in bytes.prefix(7) { bits = bits << 8 | UInt64(byte) }
        bits <<= UInt64(8 * max(0, 7 - bytes.count))
        return bits << 8 | UInt64(min(bytes.count, 8))
    }
}

extension StoreCell {
    /// Compares two values that are both numbers, both texts or both blobs.
    fileprivate static func order(_ left: StoreCell, _ right: StoreCell) -> Int {
        switch (left.kind, right.kind) {
        case (.text, _), (.blob, _): SQLValue.order(left.bytes, right.bytes)
        default: SQLValue.order(SQLValue(left), SQLValue(right))
        }
    }
}
