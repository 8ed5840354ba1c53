/// Puts rows in order.
///
/// Each value becomes a key of a few bytes, in the order of the values as far as these tell; most comparisons need no
/// more. Of rows that are equal the first stays the first.
struct MemoryOrder {
    /// The start of a value.
    private struct Key {
        /// The place of NULL and of the storage class.
        let rank: UInt8
        /// True when equal keys mean equal values.
        let isExact: Bool
        let bits: UInt64
    }

    private let terms: [MemorySelect.Order]
    private let evaluator: SQLEvaluator

    init(_ terms: [MemorySelect.Order], _ evaluator: SQLEvaluator) {
        // No two rows have one rowid, so no term behind it counts.
        var isDecided = false
        self.terms = terms.filter { term in
            defer { if case .rowid = term.expression { isDecided = true } }
            return !isDecided
        }
        self.evaluator = evaluator
    }

    /// - Parameter count: how many rows are wanted, the first ones.
    func ordered(
        _ rows: [Int32], of table: borrowing MemoryTable, atMost count: Int
    ) throws(StoreError) -> [Int32] {
        // One row needs no order, but as in SQLite its terms are computed, and may fail.
        guard !rows.isEmpty, count > 0 else { return rows }
        var columns: [MemoryColumn?] = []
        var sortings: [Sorting] = []
        for term in terms {
            switch term.expression {
            case .column(let column): columns.append(table.columns[column])
            case .rowid: columns.append(nil)
            default:
                // Each value is computed once, into a column of its own.
                var column = MemoryColumn()
                for row in rows { try column.append(try evaluator.value(term.expression, in: table, at: Int(row))) }
                columns.append(column)
            }
            sortings.append(Sorting(term))
        }
        return MemoryView(columns, rowids: table.rowids).lend { columns in
            ordered(rows, columns, sortings, atMost: count)
        }
    }

    /// How one term sorts. Unlike the term it holds nothing that is counted.
    private struct Sorting {
        let isComputed: Bool
        let isDescending: Bool
        let isNullsFirst: Bool

        init(_ term: MemorySelect.Order) {
            switch term.expression {
            case .column, .rowid: isComputed = false
            default: isComputed = true
            }
            isDescending = term.isDescending
            isNullsFirst = term.isNullsFirst
        }
    }

    private func ordered(
        _ rows: [Int32], _ columns: UnsafeBufferPointer<MemoryView.Column>, _ sortings: [Sorting], atMost count: Int
    ) -> [Int32] {
        func cell(_ place: Int, _ term: Int) -> StoreCell {
            columns[term].cell(at: sortings[term].isComputed ? place : Int(rows[place]))
        }
        var keys: [Key] = []
        keys.reserveCapacity(rows.count * sortings.count)
        for place in rows.indices {
            for term in sortings.indices { keys.append(key(cell(place, term), sortings[term])) }
        }
        func isBefore(_ one: Int32, _ other: Int32) -> Bool {
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
        return places(rows.count, atMost: count, isBefore).map { rows[Int($0)] }
    }

    /// The first places in order. When few are wanted, only a small pile is ever sorted.
    private func places(_ total: Int, atMost count: Int, _ isBefore: (Int32, Int32) -> Bool) -> ArraySlice<Int32> {
        guard count < total / 4 else {
            return (0..<Int32(truncatingIfNeeded: total)).sorted(by: isBefore).prefix(count)
        }
        var pile: [Int32] = []
        var last: Int32?
        for place in 0..<Int32(truncatingIfNeeded: total) {
            if let last, !isBefore(place, last) { continue }
            pile.append(place)
            if pile.count == count * 2 + 64 {
                pile.sort(by: isBefore)
                pile.removeLast(pile.count - count)
                last = pile.last
            }
        }
        return pile.sorted(by: isBefore).prefix(count)
    }

    // MARK: Keys

    private func key(_ cell: StoreCell, _ sorting: Sorting) -> Key {
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

    /// A number in the order of all doubles.
    private static func bits(_ number: Double) -> UInt64 {
        // The two zeros are equal.
        let bits = (number + 0).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    /// The first seven bytes, and how many there are in all if they are no more.
    private static func bits(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var bits: UInt64 = 0
        for byte in bytes.prefix(7) { bits = bits << 8 | UInt64(byte) }
        bits <<= UInt64(8 * max(0, 7 - bytes.count))
        return bits << 8 | UInt64(min(bytes.count, 8))
    }
}

extension StoreCell {
    /// The order of two values that are both numbers, both texts or both blobs.
    fileprivate static func order(_ left: StoreCell, _ right: StoreCell) -> Int {
        switch (left.kind, right.kind) {
        case (.text, _), (.blob, _): SQLValue.order(left.bytes, right.bytes)
        default: SQLValue.order(SQLValue(left), SQLValue(right))
        }
    }
}
