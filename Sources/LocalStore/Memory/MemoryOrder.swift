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
        self.terms = terms
        self.evaluator = evaluator
    }

    /// - Parameter count: how many rows are wanted, the first ones.
    func ordered(_ rows: [Int32], of source: some SQLSource, atMost count: Int) throws(StoreError) -> [Int32] {
        guard rows.count > 1, count > 0 else { return rows }
        var keys: [Key] = []
        keys.reserveCapacity(rows.count * terms.count)
        // Computed values are kept, so that each is computed once; those of columns are read again when they matter.
        var computed: [[SQLValue]] = terms.map { _ in [] }
        for row in rows {
            for (index, term) in terms.enumerated() {
                if case .column(let column) = term.expression {
                    keys.append(key(source.value(row: Int(row), column: column), term))
                } else {
                    let value = try evaluator.value(term.expression, in: source, at: Int(row))
                    computed[index].append(value)
                    keys.append(key(value, term))
                }
            }
        }
        func isBefore(_ one: Int32, _ other: Int32) -> Bool {
            let (left, right) = (Int(one) * terms.count, Int(other) * terms.count)
            for index in terms.indices {
                let (one, other) = (keys[left + index], keys[right + index])
                if one.rank != other.rank { return one.rank < other.rank }
                if one.bits != other.bits { return one.bits < other.bits }
                if one.isExact, other.isExact { continue }
                let difference = fullOrder(index, left / terms.count, right / terms.count)
                if difference != 0 { return difference < 0 }
            }
            return one < other
        }
        func fullOrder(_ index: Int, _ left: Int, _ right: Int) -> Int {
            let difference: Int
            if case .column(let column) = terms[index].expression {
                difference = SQLValue.order(
                    source.value(row: Int(rows[left]), column: column),
                    source.value(row: Int(rows[right]), column: column))
            } else {
                difference = SQLValue.order(computed[index][left], computed[index][right])
            }
            return terms[index].isDescending ? -difference : difference
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

    private func key(_ value: SQLValue, _ term: MemorySelect.Order) -> Key {
        var (rank, isExact, bits): (UInt8, Bool, UInt64)
        switch value {
        case .null: return Key(rank: term.isNullsFirst ? 0 : 9, isExact: true, bits: 0)
        case .integer(let number):
            (rank, isExact, bits) = (1, number.magnitude <= 1 << 53, Self.bits(Double(number)))
        case .real(let number):
            (rank, isExact, bits) = (1, number.magnitude <= 9_007_199_254_740_992, Self.bits(number))
        case .text(let bytes): (rank, isExact, bits) = (2, bytes.count < 8, Self.bits(bytes))
        case .blob(let bytes): (rank, isExact, bits) = (3, bytes.count < 8, Self.bits(bytes))
        }
        if term.isDescending { (rank, bits) = (8 - rank, ~bits) }
        return Key(rank: rank, isExact: isExact, bits: bits)
    }

    /// A number in the order of all doubles.
    private static func bits(_ number: Double) -> UInt64 {
        // The two zeros are equal.
        let bits = (number + 0).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    /// The first seven bytes, and how many there are in all if they are no more.
    private static func bits(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var bits: UInt64 = 0
        for byte in bytes.prefix(7) { bits = bits << 8 | UInt64(byte) }
        bits <<= UInt64(8 * max(0, 7 - bytes.count))
        return bits << 8 | UInt64(min(bytes.count, 8))
    }
}
