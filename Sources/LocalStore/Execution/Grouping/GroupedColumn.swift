import StoreCore

/// Accumulates an aggregate function for all groups at once, from the cells of a column.
struct GroupedColumn {
    /// The best value of `min` or `max` so far, and the row that columns beside it come from.
    private struct Extreme {
        var bits: UInt64 = 0
        /// The row of the best value; before there is one, the last row of the group.
        var row: Int32 = -1
        var kind = StoreValue.Kind.null
    }

    private let function: SQLAggregate.Function
    /// Number of rows, or of values that are not NULL.
    private var counts: [Int] = []
    private var sums: [SQLSum] = []
    private var extremes: [Extreme] = []

    /// - Parameter function: not `group_concat`.
    init(_ function: SQLAggregate.Function) { self.function = function }

    private var isSum: Bool { function == .sum || function == .total || function == .average }
    private var isExtreme: Bool { function == .minimum || function == .maximum }

    /// Adds a block of rows.
    /// - Parameters:
    ///   - column: the argument; nil for `count(*)`.
    ///   - groups: the group of each row.
    ///   - groupCount: number of groups so far.
    mutating func add(
        _ rows: UnsafeBufferPointer<Int32>, _ column: ColumnCells?, mask: UInt8, _ groups: [Int32],
        groupCount: Int
    ) {
        func grow<State>(_ states: inout [State], _ empty: State) {
            // Twofold: appending a few groups for each block must not copy all states each time.
            if states.capacity < groupCount { states.reserveCapacity(Swift.max(groupCount, states.count * 2)) }
            for _ in states.count..<groupCount { states.append(empty) }
        }
        if isExtreme {
            grow(&extremes, Extreme())
        } else {
            grow(&counts, 0)
            if isSum { grow(&sums, SQLSum()) }
        }
        guard let column else { return Self.count(rows, groups, &counts) }
        if isExtreme {
            Self.addExtremes(rows, column, mask, groups, &extremes, isMinimum: function == .minimum)
        } else if isSum {
            Self.addNumbers(rows, column, mask, groups, &counts, &sums)
        } else if mask & MemoryColumn.mask(.null) == 0 {
            Self.count(rows, groups, &counts)
        } else {
            for index in rows.indices where column.kind(at: Int(rows[index])) != .null {
                counts[Int(groups[index])] += 1
            }
        }
    }

    /// The result for a group.
    /// - Parameter column: the argument; nil for `count(*)`.
    func result(of group: Int, _ column: ColumnCells?) throws(StoreError) -> SQLValue {
        if isExtreme {
            let extreme = extremes[group]
            return extreme.kind == .null ? .null : column.map { SQLValue($0.cell(at: Int(extreme.row))) } ?? .null
        }
        return isSum ? try sums[group].result(of: function, count: counts[group]) : .integer(Int64(counts[group]))
    }

    /// The row that `min` or `max` chooses for the columns beside it.
    func row(of group: Int) -> Int32 { extremes[group].row }

    // MARK: Kernels

    private static func count(_ rows: UnsafeBufferPointer<Int32>, _ groups: [Int32], _ counts: inout [Int]) {
        counts.withUnsafeMutableBufferPointer { counts in
            for index in rows.indices { counts[Int(groups[index])] &+= 1 }
        }
    }

    private static func addNumbers(
        _ rows: UnsafeBufferPointer<Int32>, _ column: ColumnCells, _ mask: UInt8, _ groups: [Int32],
        _ counts: inout [Int], _ sums: inout [SQLSum]
    ) {
        counts.withUnsafeMutableBufferPointer { counts in
            sums.withUnsafeMutableBufferPointer { sums in
                func add(_ group: Int, _ value: Int64) {
                    counts[group] &+= 1
                    sums[group].add(value)
                }
                func add(_ group: Int, _ value: Double) {
                    counts[group] &+= 1
                    sums[group].add(value)
                }
                switch mask {
                case MemoryColumn.mask(.integer):
                    for index in rows.indices {
                        add(Int(groups[index]), Int64(bitPattern: column.bits(at: Int(rows[index]))))
                    }
                case MemoryColumn.mask(.real):
                    for index in rows.indices {
                        add(Int(groups[index]), Double(bitPattern: column.bits(at: Int(rows[index]))))
                    }
                default:
                    for index in rows.indices {
                        let cell = column.cell(at: Int(rows[index]))
                        switch cell.kind {
                        case .null: break
                        case .integer: add(Int(groups[index]), Int64(bitPattern: cell.bits))
                        case .real: add(Int(groups[index]), Double(bitPattern: cell.bits))
                        case .text, .blob:
                            switch SQLValue(cell).summand {
                            case .integer(let number): add(Int(groups[index]), number)
                            case let number: add(Int(groups[index]), number.realValue)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func addExtremes(
        _ rows: UnsafeBufferPointer<Int32>, _ column: ColumnCells, _ mask: UInt8, _ groups: [Int32],
        _ extremes: inout [Extreme], isMinimum: Bool
    ) {
        extremes.withUnsafeMutableBufferPointer { extremes in
            for index in rows.indices {
                let group = Int(groups[index])
                let row = rows[index]
                let bits = column.bits(at: Int(row))
                let kind = mask == MemoryColumn.mask(.integer) ? .integer : column.kind(at: Int(row))
                let best = extremes[group]
                if best.kind == .null {
                    extremes[group] = Extreme(bits: bits, row: row, kind: kind)
                    continue
                }
                if kind == .null { continue }
                let order: Int
                switch (kind, best.kind) {
                case (.integer, .integer):
                    let (value, other) = (Int64(bitPattern: bits), Int64(bitPattern: best.bits))
                    order = value < other ? -1 : value > other ? 1 : 0
                case (.real, .real):
                    let (value, other) = (Double(bitPattern: bits), Double(bitPattern: best.bits))
                    order = value < other ? -1 : value > other ? 1 : 0
                case (.text, .text), (.blob, .blob): order = SQLValue.order(column.bytes(bits), column.bytes(best.bits))
                default:
                    order = SQLValue.order(
                        SQLValue(column.cell(at: Int(row))), SQLValue(column.cell(at: Int(best.row))))
                }
                if isMinimum ? order < 0 : order > 0 {
                    extremes[group] = Extreme(bits: bits, row: row, kind: kind)
                }
            }
        }
    }
}
