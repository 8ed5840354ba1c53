import StoreCore

extension SQLAggregate {
    /// The result of an aggregate without DISTINCT and FILTER over some rows.
    static func total(
        of aggregate: SQLBinder.Aggregate, _ table: borrowing MemoryTable, _ rows: [Int32], _ evaluator: SQLEvaluator
    ) throws(StoreError) -> SQLValue {
        var accumulator = SQLAggregate(aggregate.function)
        guard let argument = aggregate.argument else {
            accumulator.addRows(rows.count)
            return try accumulator.result()
        }
        if case .column(let column) = argument, aggregate.separator == nil {
            for first in stride(from: 0, to: rows.count, by: MemoryColumn.blockSize) {
                if first > 0 { try evaluator.interruption.checkAfterBlock() }
                try accumulator.add(
                    table.columns[column], rows[first..<min(first + MemoryColumn.blockSize, rows.count)])
            }
            return try accumulator.result()
        }
        for (index, row) in rows.enumerated() {
            let value = try evaluator.value(argument, in: table, at: Int(row))
            var separator: SQLValue?
            if let expression = aggregate.separator {
                separator = try evaluator.value(expression, in: table, at: Int(row))
            }
            try accumulator.add(value, separator: separator)
            try evaluator.interruption.check(afterExpensiveRow: index)
        }
        return try accumulator.result()
    }

    /// Adds the cells of some rows; numbers skip the intermediate ``SQLValue``.
    mutating func add(_ column: borrowing MemoryColumn, _ rows: ArraySlice<Int32>) throws(StoreError) {
        let sumsNumbers = function == .sum || function == .total || function == .average
        for row in rows {
            let cell = column.cell(at: Int(row))
            switch cell.kind {
            case .null: break
            case .integer where sumsNumbers: add(cell.integer)
            case .real where sumsNumbers: add(cell.real)
            case _ where function == .count: addRows(1)
            case .integer: try addExtreme(cell.integer)
            case .real: try addExtreme(cell.real)
            default: try add(column.value(at: Int(row)))
            }
        }
    }

    /// Adds an integer to `min` or `max` in place; other functions take the general way.
    private mutating func addExtreme(_ number: Int64) throws(StoreError) {
        if case .integer(let best) = extreme, function == .minimum || function == .maximum {
            count += 1
            if function == .minimum ? number < best : number > best { extreme = .integer(number) }
        } else {
            try add(.integer(number), separator: nil)
        }
    }

    private mutating func addExtreme(_ number: Double) throws(StoreError) {
        if case .real(let best) = extreme, function == .minimum || function == .maximum {
            count += 1
            if function == .minimum ? number < best : number > best { extreme = .real(number) }
        } else {
            try add(.real(number), separator: nil)
        }
    }
}
